// Command peers computes what the benchmarks compute with other Go libraries. The
// benchmarks start it, when it is built, as a peer in the sense of package
// benchmarks/peer:
//
//	peers gonum             products of matrices
//	peers gorgonia FOLDER   the binary Tree-LSTM, node by node
//	peers gomlx FOLDER      the same
//
// It has a module of its own, so that the library does not depend on its rivals.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/sys/unix"

	"github.com/frondml/frond/benchmarks/peer"
)

// network is a Tree-LSTM that another library executes.
type network interface {
	// infer returns the sum of the losses of all nodes of the trees of the job with
	// these numbers; train does a step of Adagrad as well.
	infer(batch []int) (float64, error)
	train(batch []int) (float64, error)
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 1 && args[0] == "gonum" {
		return peer.Serve(os.Stdin, os.Stdout, version("gonum.org/v1/gonum"), processTime, product)
	}
	if len(args) != 2 {
		return fmt.Errorf("want a library and a folder, not %q", args)
	}
	job, err := peer.ReadJob(args[1])
	if err != nil {
		return err
	}
	var n network
	var library string
	switch args[0] {
	case "gorgonia":
		n, library = newGorgonia(job), version("gorgonia.org/gorgonia")
	case "gomlx":
		if n, err = newGoMLX(job); err != nil {
			return err
		}
		library = version("github.com/gomlx/gomlx") + ", its backend in Go"
	default:
		return fmt.Errorf("no library is called %q", args[0])
	}
	return peer.Serve(os.Stdin, os.Stdout, library, processTime, func(r peer.Request) (float64, error) {
		for _, i := range r.Batch {
			if i < 0 || i >= len(job.Trees) {
				return 0, fmt.Errorf("tree %d of %d", i, len(job.Trees))
			}
		}
		switch r.Do {
		case peer.Infer:
			return n.infer(r.Batch)
		case peer.Train:
			return n.train(r.Batch)
		}
		return 0, fmt.Errorf("cannot %s", r.Do)
	})
}

// version names a module with the version that is linked.
func version(path string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == path {
				return path + " " + m.Version
			}
		}
	}
	return path
}

func processTime() time.Duration {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
