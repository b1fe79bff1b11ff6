package main

import (
	"errors"
	"fmt"

	"github.com/frondml/frond/benchmarks/contender"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/gpu/cublas"
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
var cards = []cardWay{
	{"card", 1, cuda.Options{}, exec.Options{}},
	{"card, unshared", 1, cuda.Options{}, exec.Options{NoSharing: true}},
	{"card, unshared, 4 workers", 4, cuda.Options{}, exec.Options{NoSharing: true}},
	{"card, unshared, cublas", 1, cuda.Options{Products: cuda.CuBLAS}, exec.Options{NoSharing: true}},
	{"card, unshared, tf32", 1, cuda.Options{Precision: cuda.TF32}, exec.Options{NoSharing: true}},
}

type cardWay struct {
	name    string
	workers int
	device  cuda.Options
	options exec.Options
}

// openCards returns them, also when there is an error. Without cuBLAS those that want it
// are left out.
func (b *bench) openCards(s contender.Setting) (all []contender.Contender, err error) {
	for _, way := range cards {
		c, err := b.openCard(s, way)
		if errors.Is(err, cublas.ErrNoLibrary) {
			b.note("without %q: %v", way.name, err)
			continue
		}
		if err != nil {
			return all, fmt.Errorf("%s: %w", way.name, err)
		}
		all = append(all, c)
	}
	return all, nil
}

func (b *bench) openCard(s contender.Setting, way cardWay) (contender.Contender, error) {
	way.device.GPU.Library = b.library
	if way.device.Products == cuda.CuBLAS {
		way.device.CuBLASLibrary = b.cublasPath
	}
	device, err := cuda.Open(way.device)
	if err != nil {
		return nil, err
	}
	way.options.Device, s.Workers = device, way.workers
	c, err := contender.NewRecursive(way.name, s, way.options)
	if err != nil {
		return nil, errors.Join(err, device.Close())
	}
	return &onCard{c, device, way.device.Precision != cuda.FP32}, nil
}
