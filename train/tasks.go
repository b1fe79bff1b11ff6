package train

import (
	"sync"
	"sync/atomic"
)

// taskElements is how many elements a task is about. An optimiser passes some of them
// per nanosecond, so a task takes longer than it takes to hand it out.
const taskElements = 1 << 15

// tasks are independent pieces of element-wise work on large arrays. How work is cut
// does not depend on who does it.
type tasks []task

// task is work on some of the items that were added together.
type task struct {
	do       func(from, to int)
	from, to int
}

// add cuts work on n items, which are about size elements each, into tasks.
func (t *tasks) add(n, size int, do func(from, to int)) {
	step := max(1, taskElements/size)
	for from := 0; from < n; from += step {
		*t = append(*t, task{do, from, min(from+step, n)})
	}
}

// run does the tasks with at most so many goroutines, the caller's among them.
func (t tasks) run(workers int) {
	var next atomic.Int64
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(t) {
				return
			}
			t[i].do(t[i].from, t[i].to)
		}
	}
	var others sync.WaitGroup
	for range min(workers, len(t)) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
}
