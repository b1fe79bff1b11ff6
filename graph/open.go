package graph

import (
	"bytes"
	"runtime"
	"slices"
	"strconv"
	"sync"
)

// openModules holds, per goroutine, the modules that have an open body, the
// innermost last. Operands that belong to no module, such as the zero Value, say
// nothing about where a mistake is to be recorded; the body in which the mistake
// is made does. Bodies nest on the stack of one goroutine, but they are passed
// no handle that an operator could reach, hence the goroutine is the key.
var openModules = struct {
	sync.Mutex
	of map[uint64][]*Module
}{of: map[uint64][]*Module{}}

// enter makes m the innermost open module of the goroutine until the returned
// function is called.
func (m *Module) enter() (leave func()) {
	id := goroutine()
	openModules.Lock()
	defer openModules.Unlock()
	outer := openModules.of[id]
	openModules.of[id] = append(slices.Clone(outer), m)
	return func() {
		openModules.Lock()
		defer openModules.Unlock()
		if openModules.of[id] = outer; len(outer) == 0 {
			delete(openModules.of, id)
		}
	}
}

// innermost returns the module whose body the calling goroutine is in, nil
// outside of bodies.
func innermost() *Module {
	id := goroutine()
	openModules.Lock()
	defer openModules.Unlock()
	if ms := openModules.of[id]; len(ms) > 0 {
		return ms[len(ms)-1]
	}
	return nil
}

// goroutine returns the number of the calling goroutine, which the first line of
// its stack trace shows: "goroutine 7 [running]:". It is asked for once per
// outermost body and where a mistake has been made, never per operator.
func goroutine() uint64 {
	var buf [64]byte
	line := buf[:runtime.Stack(buf[:], false)]
	line = bytes.TrimPrefix(line, []byte("goroutine "))
	digits, _, _ := bytes.Cut(line, []byte(" "))
	id, _ := strconv.ParseUint(string(digits), 10, 64)
	return id
}
