package driver

// Calls are the calls of the driver that this module needs. They work on the context
// that is current on the thread, which [Caller.Enter] takes care of; those about the
// driver, its devices and primary contexts need none. Those that come with every piece
// of work, from Copy and Fill to Launch, Record and Wait, do not allocate. An error is
// an [*Error].
type Calls interface {
	// Init initialises the driver, which only the calls of DriverVersion need not.
	Init() error
	// DriverVersion returns the newest CUDA version that the driver supports.
	DriverVersion() (Version, error)
	// DeviceCount returns the number of devices.
	DeviceCount() (int, error)
	// Device returns device number ordinal, counted from 0.
	Device(ordinal int) (Device, error)
	// DeviceName returns the product name.
	DeviceName(d Device) (string, error)
	// DeviceAttribute returns a property of a device.
	DeviceAttribute(d Device, a Attribute) (int, error)
	// DeviceMemory returns the device's memory in bytes.
	DeviceMemory(d Device) (int64, error)

	// RetainPrimaryContext returns the device's primary context, which the process
	// shares with libraries such as cuBLAS, and keeps it alive. Threads that wait for
	// the device sleep, unless others have the context in use already and want
	// something else. Contexts other than the primary one are not offered: two on one
	// device take turns.
	RetainPrimaryContext(d Device) (Context, error)
	// ReleasePrimaryContext undoes one RetainPrimaryContext. The last one destroys
	// what the context still owns.
	ReleasePrimaryContext(d Device) error
	// SetContext makes a context current on the thread.
	SetContext(c Context) error
	// SynchronizeContext blocks the thread until all work of the context is done.
	SynchronizeContext() error

	// Alloc returns n bytes of device memory, aligned for every type. Their contents
	// are undefined. It may wait for the device.
	Alloc(n int64) (Pointer, error)
	// Free returns memory to the device. No work in progress may use it.
	Free(p Pointer) error
	// MemoryInfo returns the free and the total memory of the current context's
	// device in bytes.
	MemoryInfo() (free, total int64, err error)
	// AllocHost returns n > 0 bytes of pinned host memory, which the device can read
	// and write by itself, in any context. They do not belong to the Go heap and must
	// be given back with FreeHost, after which the slice must not be touched.
	AllocHost(n int) ([]byte, error)
	// FreeHost gives back what AllocHost returned. No work in progress may use it.
	FreeHost(memory []byte) error
	// CopyToDevice copies to the device, in the order of the stream. Pinned memory is
	// read when the stream gets there. Memory of the Go heap, which runtime.Pinner
	// must hold in place, is read before the call returns.
	CopyToDevice(to Pointer, from []byte, s Stream) error
	// CopyToHost copies from the device, in the order of the stream. Pinned memory is
	// written when the stream gets there. For memory of the Go heap, which
	// runtime.Pinner must hold in place, the call waits.
	CopyToHost(to []byte, from Pointer, s Stream) error
	// Copy copies n bytes within the device, in the order of the stream. The ranges
	// must not overlap.
	Copy(to, from Pointer, n int64, s Stream) error
	// Fill sets count 32-bit words, in the order of the stream.
	Fill(p Pointer, word uint32, count int64, s Stream) error

	// NewStream returns a stream that is ordered against no other, the legacy default
	// stream included.
	NewStream() (Stream, error)
	// DestroyStream gives a stream back. Work in it is still finished.
	DestroyStream(s Stream) error
	// SynchronizeStream blocks the thread until all work of a stream is done.
	SynchronizeStream(s Stream) error
	// StreamDone reports whether all work of a stream is done.
	StreamDone(s Stream) (bool, error)
	// Wait lets later work of a stream wait until an event's record has been reached.
	// An event that was never recorded is not waited for.
	Wait(s Stream, e Event) error

	// NewEvent returns an event that nothing waits for yet. It keeps no time, and
	// threads that wait for it sleep.
	NewEvent() (Event, error)
	// DestroyEvent gives an event back. Streams that wait for it go on waiting.
	DestroyEvent(e Event) error
	// Record puts an event at the present end of a stream. A record replaces the one
	// before it.
	Record(e Event, s Stream) error
	// EventDone reports whether the work before an event's last record is done.
	EventDone(e Event) (bool, error)
	// SynchronizeEvent blocks the thread until the work before an event's last record
	// is done.
	SynchronizeEvent(e Event) error

	// LoadModule compiles PTX for the current context's device and loads it. An error
	// has the compiler's log as its detail.
	LoadModule(ptx string) (Module, error)
	// UnloadModule gives a module and its functions back.
	UnloadModule(m Module) error
	// Function finds a kernel of a module by name.
	Function(m Module, name string) (Function, error)
	// FunctionAttribute returns a property of a function.
	FunctionAttribute(f Function, a FunctionAttribute) (int, error)
	// SetFunctionAttribute sets a property of a function that can be set.
	SetFunctionAttribute(f Function, a FunctionAttribute, value int) error
	// Occupancy returns how many blocks of so many threads and so many bytes of added
	// shared memory a multiprocessor runs at once.
	Occupancy(f Function, threads, shared int) (int, error)
	// Launch puts a kernel into a stream. Each block has so many threads and so many
	// bytes of shared memory beyond what the kernel declares.
	Launch(f Function, grid, block Dim3, shared int, s Stream, p *Parameters) error
	// DeclareAccess says that the next launch on this thread may read, or read and
	// write, a range of device memory. A launch for which something was declared may
	// touch nothing else. It is only for a library that exports [SymbolDeclareAccess].
	DeclareAccess(p Pointer, size int64, write bool)
}
