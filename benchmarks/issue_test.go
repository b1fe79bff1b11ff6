package main

import (
	"fmt"
	"testing"

	"github.com/frondml/frond/benchmarks/contender"
	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device"
)

// idle is a device that does nothing, at once: what is left is the time of the host.
type idle struct{ calls int }

type idleBuffer int

func (b idleBuffer) Words() int { return int(b) }

type idleStream struct{ on *idle }

type idleEvent struct{}

func (idleEvent) Release() {}

type idleFetch struct{}

func (idleFetch) Done() bool         { return true }
func (idleFetch) Ints([]int32) error { return nil }
func (idleFetch) Release()           {}

func (d *idle) Name() string                                      { return "idle" }
func (d *idle) Compile(device.Operator) (device.Kernel, error)    { return 0, nil }
func (d *idle) Fuse(device.Chain) (device.Kernel, error)          { return 0, nil }
func (d *idle) NewStream() (device.Stream, error)                 { return &idleStream{d}, nil }
func (s *idleStream) call() error                                 { s.on.calls++; return nil }
func (s *idleStream) Alloc(n int) (device.Buffer, error)          { return idleBuffer(n), nil }
func (s *idleStream) Free(device.Buffer) error                    { return nil }
func (s *idleStream) Record() (device.Event, error)               { return idleEvent{}, s.call() }
func (s *idleStream) Wait(device.Event) error                     { return s.call() }
func (s *idleStream) Close() error                                { return nil }
func (s *idleStream) Launch(device.Kernel, *device.Call) error    { return s.call() }
func (s *idleStream) Multiply(device.Product) error               { return s.call() }
func (s *idleStream) AddOuter(device.OuterSum) error              { return s.call() }
func (s *idleStream) AddGroups(device.Groups) error               { return s.call() }
func (s *idleStream) AddColumns(device.ColumnSum) error           { return s.call() }
func (s *idleStream) Update(device.Update) error                  { return s.call() }
func (s *idleStream) Scale(device.Buffer, int, float32) error     { return s.call() }
func (s *idleStream) Zero(device.Buffer, int, int) error          { return s.call() }
func (s *idleStream) CopyMatrix(_, _ device.Matrix, _ bool) error { return s.call() }
func (s *idleStream) AddSquares(device.Buffer, int, device.Buffer, int) error {
	return s.call()
}
func (s *idleStream) Copy(device.Buffer, int, device.Buffer, int, int) error { return s.call() }
func (s *idleStream) UploadFloats(device.Buffer, int, []float32) error       { return s.call() }
func (s *idleStream) UploadInts(device.Buffer, int, []int32) error           { return s.call() }
func (s *idleStream) DownloadFloats([]float32, device.Buffer, int) error     { return s.call() }
func (s *idleStream) DownloadInts([]int32, device.Buffer, int) error         { return s.call() }
func (s *idleStream) Fetch(device.Buffer, int, int) (device.Fetch, error) {
	return idleFetch{}, s.call()
}

// BenchmarkIssue measures what the host does for a device: per node of the trees, its
// time and the calls that it makes.
func BenchmarkIssue(b *testing.B) {
	all := corpus.GenerateSentences(256)
	for _, batch := range []int{25, 256} {
		for _, mode := range []string{"infer", "train"} {
			b.Run(fmt.Sprintf("%s/b%d", mode, batch), func(b *testing.B) {
				d := &idle{}
				c, err := contender.NewRecursive("idle", contender.Setting{Corpus: all, Embed: 300, Hidden: 150, Workers: 1},
					exec.Options{Device: d, NoSharing: true})
				if err != nil {
					b.Fatal(err)
				}
				defer c.Close()
				step := c.Infer
				if mode == "train" {
					step = c.Train
				}
				batches := contender.Batches(all.Trees, batch)
				for _, x := range batches {
					if _, err := step(x); err != nil {
						b.Fatal(err)
					}
				}
				d.calls = 0
				b.ReportAllocs()
				nodes := 0
				for i := 0; b.Loop(); i++ {
					x := batches[i%len(batches)]
					if _, err := step(x); err != nil {
						b.Fatal(err)
					}
					for _, t := range x.Trees {
						nodes += len(t.Word)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(nodes), "ns/node")
				b.ReportMetric(float64(d.calls)/float64(b.N), "calls/op")
			})
		}
	}
}
