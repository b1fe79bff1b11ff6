package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/frondml/frond/gpu"
)

// Sizes of copies in bytes: for what a copy costs, and for what the bus carries.
var (
	copySizes      = []int{4, 4 << 10, 1 << 20, 64 << 20}
	smallCopySizes = []int{4, 4 << 10}
)

// copies measures copies from and to the host and on the device, each with the wait for
// it.
func (b *bench) copies() error {
	s, err := b.device.NewStream()
	if err != nil {
		return err
	}
	sizes := copySizes
	if b.small {
		sizes = smallCopySizes
	}
	for i, size := range sizes {
		b.share(i, len(sizes))
		if err = b.copiesOf(s, size); err != nil {
			break
		}
	}
	return errors.Join(err, s.Close())
}

func (b *bench) copiesOf(s *gpu.Stream, size int) (err error) {
	x, err := s.Alloc(int64(size))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Free(x)) }()
	y, err := s.Alloc(int64(size))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Free(y)) }()
	pinned, err := b.device.AllocPinned(size)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.device.FreePinned(pinned)) }()
	ctx, ordinary := context.Background(), make([]byte, size)
	ways := []struct {
		name string
		copy func() error
	}{
		{"upload", func() error { return s.Upload(ctx, x, ordinary) }},
		{"download", func() error { return s.Download(ctx, ordinary, x) }},
		{"pinned to device", func() error { return s.CopyToDevice(x, pinned) }},
		{"device to pinned", func() error { return s.CopyToHost(pinned, x) }},
		{"device to device", func() error { return s.Copy(x, y) }},
		{"fill", func() error { return s.Fill(x, 0) }},
	}
	var subjects []subject
	for _, way := range ways {
		one := subject{name: way.name, setting: fmt.Sprintf("%d bytes", size), run: timed(b.waiting(way.copy))}
		if size >= 1<<20 {
			one.unit, one.amount = "GB/s", float64(size)/1e9
		}
		subjects = append(subjects, one)
	}
	return b.measure(subjects)
}

// waiting waits for the device after each of n repetitions.
func (b *bench) waiting(issue func() error) func(int) error {
	return func(n int) error {
		for range n {
			if err := errors.Join(issue(), b.device.Synchronize()); err != nil {
				return err
			}
		}
		return nil
	}
}
