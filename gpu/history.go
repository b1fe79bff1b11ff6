package gpu

import (
	"fmt"
	"strings"
	"sync/atomic"
)

// historyLength is how many operations of a stream an error tells of.
const historyLength = 6

// operation is a kind of work. Operations are told apart by address, so that
// remembering one is storing a pointer.
type operation struct{ name string }

// Operations other than launches, which belong to their kernels.
var (
	opDo           = operation{"do"}
	opClose        = operation{"close"}
	opRecord       = operation{"record"}
	opLaunch       = operation{"launch"} // of nothing
	opWait         = operation{"wait"}
	opEvent        = operation{"event"}
	opAlloc        = operation{"alloc"}
	opFree         = operation{"free"}
	opFill         = operation{"fill"}
	opCopy         = operation{"copy"}
	opCopyToDevice = operation{"copy to device"}
	opCopyToHost   = operation{"copy to host"}
	opUpload       = operation{"upload"}
	opDownload     = operation{"download"}
)

// history remembers the operations that a stream issued last. The stream writes
// it; whoever reports a failure reads it meanwhile.
type history struct {
	next atomic.Uint64
	ops  [historyLength]atomic.Pointer[operation]
}

func (h *history) add(op *operation) {
	n := h.next.Load()
	h.ops[n%historyLength].Store(op)
	h.next.Store(n + 1)
}

// describe lists the operations, oldest first.
func (h *history) describe(stream int) string {
	next := h.next.Load()
	first := uint64(0)
	if next > historyLength {
		first = next - historyLength
	}
	var ops []string
	for n := first; n < next; n++ {
		if op := h.ops[n%historyLength].Load(); op != nil {
			ops = append(ops, op.name)
		}
	}
	if len(ops) == 0 {
		ops = []string{"nothing"}
	}
	return fmt.Sprintf("stream %d (%d operations): %s", stream, next, strings.Join(ops, ", "))
}
