package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	goexec "os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/frondml/frond/benchmarks/contender"
	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/exec"
)

// Names of contenders.
const (
	level          = "level"
	levelOneRow    = "level, one row"
	frond          = "frond"
	frondUnshared  = "frond, unshared"
	frondUnbatched = "frond, unbatched"
	iterativeTree  = "iterative, per tree"
	iterativeBatch = "iterative, mini-batch"
	iterativeLevel = "iterative, by level"
	unrolledTree   = "unrolled"
	torchNatural   = "PyTorch, natural"
	torchLevel     = "PyTorch, level"
	gorgonia       = "gorgonia"
	gomlx          = "GoMLX"
)

// field is the contenders of a group of races and what they are given.
type field struct {
	setting    contender.Setting
	contenders []contender.Contender
	batched    map[int][]*contender.Batch // by size
	notes      []string                   // what is to be known about the contenders
	err        error                      // of the first that could not be made
}

func (f *field) add(c contender.Contender, err error) {
	if err != nil {
		f.err = cmp.Or(f.err, err)
		return
	}
	f.contenders = append(f.contenders, c)
}

func (f *field) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// batches returns the mini-batches of a size, always the same ones, so that
// contenders may prepare for them.
func (f *field) batches(size int) []*contender.Batch {
	if f.batched[size] == nil {
		f.batched[size] = contender.Batches(f.setting.Corpus.Trees, size)
	}
	return f.batched[size]
}

func (f *field) close() error {
	var errs []error
	for _, c := range f.contenders {
		errs = append(errs, c.Close())
	}
	f.contenders = nil
	return errors.Join(errs...)
}

// kind is a way to fill a field.
type kind struct {
	trees int // how many
	agree int // the size of the mini-batches on which contenders must agree
	fill  func(*field)
}

// kinds are those of all fields, by name. The first contender of a field is the one
// that the others are compared with.
var kinds = map[string]kind{
	"":         {256, 25, ways},
	"models":   {256, 25, modes},
	"tree":     {8, 1, oneTree},
	"rivals":   {256, 25, rivals},
	"slow":     {3, 1, slow},
	"unrolled": {16, unrolledBatch, unrolled},
	"guards":   {256, 25, guarded},
}

// enter makes the field of a group of races and checks that all contenders compute
// the same.
func enter(g group) (*field, error) {
	k := kinds[g.field]
	trees, err := loadTrees(g.trees, k.trees)
	if err != nil {
		return nil, err
	}
	f := &field{
		setting: contender.Setting{Model: g.model, Corpus: trees, Embed: g.embed, Hidden: g.hidden, Workers: g.workers},
		batched: map[int][]*contender.Batch{},
	}
	k.fill(f)
	if err := f.err; err != nil {
		return nil, errors.Join(err, f.close())
	}
	batches := f.batches(k.agree)
	if err := contender.Agree(f.contenders, batches[:min(3, len(batches))]); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// unrolledBatch is the size of the mini-batches for which there are graphs.
const unrolledBatch = 8

var unbatched = exec.Options{NoSharing: true, Batching: exec.BatchOff}

// ways are all ways to execute the model with this library. In other sizes than the
// usual ones, only those take part that figures are about: races take longer there.
func ways(f *field) {
	s := f.setting
	all := s.Embed == usual.embed
	f.add(contender.NewLevel(level, s, 0))
	if all {
		f.add(contender.NewLevel(levelOneRow, s, 1))
	}
	modes(f)
	f.add(contender.NewWaves(iterativeBatch, s, contender.ByNode, exec.Options{}))
	if all {
		f.add(contender.NewIterative(iterativeTree, s, exec.Options{}))
		f.add(contender.NewWaves(iterativeLevel, s, contender.ByHeight, exec.Options{}))
	}
}

// modes are those in which the recursive program can be executed.
func modes(f *field) {
	f.add(contender.NewRecursive(frond, f.setting, exec.Options{}))
	f.add(contender.NewRecursive(frondUnshared, f.setting, exec.Options{NoSharing: true}))
	f.add(contender.NewRecursive(frondUnbatched, f.setting, unbatched))
}

func oneTree(f *field) {
	f.add(contender.NewLevel(level, f.setting, 0))
	f.add(contender.NewRecursive(frond, f.setting, exec.Options{}))
}

// unrolled compares a graph per tree with one that recurs. Nothing is shared: with
// its tree built in, the whole of a graph would be equal in all runs.
func unrolled(f *field) {
	f.add(contender.NewRecursive(frondUnshared, f.setting, exec.Options{NoSharing: true}))
	f.add(contender.NewRecursive(frondUnbatched, f.setting, unbatched))
	batches := f.batches(unrolledBatch)
	c, spent, err := contender.NewUnrolled(unrolledTree, f.setting, batches, exec.Options{NoSharing: true})
	f.add(c, err)
	trees := len(batches) * len(batches[0].Trees)
	each := func(d time.Duration) float64 { return 1e3 * d.Seconds() / float64(trees) }
	f.note("%s: %d graphs of %.1f nodes were built in %.1f ms and planned in %.1f ms each", unrolledTree, trees,
		float64(f.setting.Corpus.Nodes())/float64(trees), each(spent.Build), each(spent.Plan))
}

// rivals are programs with other libraries, those of them that there are.
func rivals(f *field) {
	f.add(contender.NewLevel(level, f.setting, 0))
	f.add(contender.NewRecursive(frond, f.setting, exec.Options{}))
	const python = "/usr/bin/python3"
	for _, kind := range []struct{ name, argument string }{{torchNatural, "natural"}, {torchLevel, "level"}} {
		f.rival(kind.name, python, filepath.Join("benchmarks", "peers", "torch_treelstm.py"), kind.argument)
	}
}

// slow are rivals for which one tree is work enough.
func slow(f *field) {
	f.add(contender.NewRecursive(frond, f.setting, exec.Options{}))
	f.rival(gorgonia, peersProgram, "gorgonia")
	f.rival(gomlx, peersProgram, "gomlx")
}

// peersProgram is where the nested module of peers is built.
var peersProgram = filepath.Join("benchmarks", "peers", "peers")

// rival adds a peer, or says why it does not take part: it is not there, does not
// start or cannot do inference.
func (f *field) rival(name string, argv ...string) {
	argv, err := inRepository(argv)
	if err != nil {
		f.note("%s: skipped: %v", name, err)
		return
	}
	c, library, err := contender.NewPeer(name, f.setting, argv...)
	if err == nil {
		if _, err = c.Infer(f.batches(1)[0]); err != nil {
			err = errors.Join(err, c.Close())
		}
	}
	if err != nil {
		reason := strings.Join(strings.Fields(err.Error()), " ")
		f.note("%s: skipped: %s", name, reason[:min(len(reason), 300)])
		return
	}
	f.add(c, nil)
	f.note("%s: %s", name, library)
}

// inRepository returns a command line with the paths of files of the repository made
// absolute. A program that does not exist is an error.
func inRepository(argv []string) ([]string, error) {
	root, err := repository()
	if err != nil {
		return nil, err
	}
	var path []string
	for _, a := range argv {
		if !filepath.IsAbs(a) && filepath.Dir(a) != "." {
			a = filepath.Join(root, a)
		}
		path = append(path, a)
	}
	if _, err := goexec.LookPath(path[0]); err != nil {
		return nil, fmt.Errorf("%s is not there", argv[0])
	}
	return path, nil
}

// repository returns the folder of this module.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("not inside of the repository")
		}
	}
}

// leafCount is the number of leaves of the trees of a given shape.
const leafCount = 32

// loadTrees returns some of the trees with a name.
func loadTrees(name string, count int) (*corpus.Corpus, error) {
	switch name {
	case "sst":
		if dir := corpus.FindSST("."); dir != "" {
			return corpus.ReadSST(dir, count)
		}
		return corpus.GenerateSentences(count), nil
	case "balanced":
		return corpus.Generate(name, count, leafCount, corpus.Balanced), nil
	case "moderate":
		return corpus.Generate(name, count, leafCount, corpus.Moderate), nil
	case "linear":
		return corpus.Generate(name, count, leafCount, corpus.Linear), nil
	case "large": // one of which has work for several workers
		return corpus.Generate(name, count, 256, corpus.Balanced), nil
	}
	return nil, fmt.Errorf("no trees are called %q", name)
}
