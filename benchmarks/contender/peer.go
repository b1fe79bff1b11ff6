package contender

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/benchmarks/peer"
	"github.com/frondml/frond/graph"
)

// rival is a program with another library, in its own process.
type rival struct {
	name    string
	process *peer.Process
	number  map[*corpus.Tree]int
}

// NewPeer starts a peer, to whose command line the folder of its job is appended.
// The description of the library that it uses is returned as well.
func NewPeer(name string, s Setting, argv ...string) (Contender, string, error) {
	dir, err := os.MkdirTemp("", "frond-peer-")
	if err != nil {
		return nil, "", err
	}
	r := &rival{name: name, number: map[*corpus.Tree]int{}}
	for i, t := range s.Corpus.Trees {
		r.number[t] = i
	}
	if err := writeJob(dir, s); err != nil {
		return nil, "", errors.Join(err, os.RemoveAll(dir))
	}
	// The job has been read when the peer is ready.
	r.process, err = peer.Start(name, peerEnvironment(s.Workers), append(argv, dir)...)
	if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
		return nil, "", err
	}
	return r, r.process.Library(), nil
}

// peerEnvironment limits the threads of the libraries that peers use, before these
// are loaded.
func peerEnvironment(workers int) []string {
	var env []string
	for _, name := range []string{"GOMAXPROCS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"} {
		env = append(env, fmt.Sprintf("%s=%d", name, workers))
	}
	return env
}

func writeJob(dir string, s Setting) error {
	m := graph.NewModule("parameters")
	s.Model.add(m, s)
	p, err := m.Build()
	if err != nil {
		return err
	}
	j := &peer.Job{
		Vocab: s.Corpus.Vocab, Embed: s.Embed, Hidden: s.Hidden, Classes: s.Corpus.Classes,
		Workers: s.Workers, Rate: rate, Eps: eps, Trees: s.Corpus.Trees,
	}
	for _, v := range p.Variables {
		j.Parameters = append(j.Parameters, peer.Parameter{Name: v.Name, Shape: v.Type.Shape, Value: v.InitialValue(seed)})
	}
	return peer.WriteJob(dir, j)
}

func (r *rival) Name() string { return r.name }
func (r *rival) Close() error { return r.process.Close() }

// CPU returns the processor time that the process has used.
func (r *rival) CPU() time.Duration { return r.process.CPU() }

func (r *rival) Infer(b *Batch) (float64, error) { return r.do(peer.Infer, b) }
func (r *rival) Train(b *Batch) (float64, error) { return r.do(peer.Train, b) }

func (r *rival) do(what string, b *Batch) (float64, error) {
	request := peer.Request{Do: what}
	for _, t := range b.Trees {
		i, ok := r.number[t]
		if !ok {
			return 0, errors.New("a tree that is not of the corpus")
		}
		request.Batch = append(request.Batch, i)
	}
	reply, err := r.process.Call(request)
	return reply.Loss, err
}
