package driver

// Binding is a way to load a driver and to call it. A nil Binding is this package's
// own, which needs no cgo; package gpu/mumax, a module of its own under another
// licence, has another. A Binding must be comparable, and whatever it is, its calls
// mean the same.
type Binding interface {
	// Load loads the library of this path, as the system's loader finds it.
	Load(path string) (LoadedLibrary, error)
}

// LoadedLibrary is a loaded driver. It is never unloaded, because it keeps threads of its
// own, and it is safe for concurrent use.
type LoadedLibrary interface {
	// Exports reports whether the library has a function of this name.
	Exports(function string) bool
	// NewCalls returns what makes its calls for one goroutine at a time.
	NewCalls() Calls
}
