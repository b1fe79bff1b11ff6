package main

import (
	"errors"

	"github.com/frondml/frond/benchmarks/contender"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cuda"
)

// onCard is the library executing on the card.
type onCard struct {
	contender.Contender
	device *cuda.Device
	rounds bool // factors of products
}

func (c *onCard) Close() error { return errors.Join(c.Contender.Close(), c.device.Close()) }

// cards are the ways to execute on the card that take part. Workers divide a mini-batch
// and have a stream each, so that more of them mean smaller batches.
var cards = []struct {
	name      string
	workers   int
	precision cuda.Precision
	options   exec.Options
}{
	{"card", 1, cuda.FP32, exec.Options{}},
	{"card, unshared", 1, cuda.FP32, exec.Options{NoSharing: true}},
	{"card, unshared, 4 workers", 4, cuda.FP32, exec.Options{NoSharing: true}},
	{"card, unshared, tf32", 1, cuda.TF32, exec.Options{NoSharing: true}},
}

// openCards returns them, also when there is an error.
func (b *bench) openCards(s contender.Setting) (all []contender.Contender, err error) {
	for _, way := range cards {
		device, err := cuda.Open(cuda.Options{GPU: gpu.Options{Library: b.library}, Precision: way.precision})
		if err != nil {
			return all, err
		}
		o := way.options
		o.Device, s.Workers = device, way.workers
		c, err := contender.NewRecursive(way.name, s, o)
		if err != nil {
			return all, errors.Join(err, device.Close())
		}
		all = append(all, &onCard{c, device, way.precision != cuda.FP32})
	}
	return all, nil
}
