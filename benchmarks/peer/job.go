package peer

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/frondml/frond/benchmarks/corpus"
)

// Job is what a peer has to know of a race.
type Job struct {
	Vocab, Embed, Hidden, Classes int
	Workers                       int
	Rate, Eps                     float64 // of Adagrad
	Trees                         []*corpus.Tree
	// Parameters lie one after the other in parameters.bin.
	Parameters []Parameter
}

// Parameter is a variable, row-major.
type Parameter struct {
	Name  string
	Shape []int
	Value []float32 `json:"-"`
}

const jobFile, parametersFile = "job.json", "parameters.bin"

// WriteJob writes a job into an existing folder.
func WriteJob(dir string, j *Job) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, jobFile), text, 0o600); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, parametersFile))
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for _, p := range j.Parameters {
		if err = binary.Write(w, binary.LittleEndian, p.Value); err != nil {
			break
		}
	}
	return errors.Join(err, w.Flush(), f.Close())
}

// ReadJob reads what WriteJob wrote.
func ReadJob(dir string) (*Job, error) {
	text, err := os.ReadFile(filepath.Join(dir, jobFile))
	if err != nil {
		return nil, err
	}
	j := new(Job)
	if err := json.Unmarshal(text, j); err != nil {
		return nil, fmt.Errorf("%s: %w", jobFile, err)
	}
	f, err := os.Open(filepath.Join(dir, parametersFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for i := range j.Parameters {
		p := &j.Parameters[i]
		size := 1
		for _, n := range p.Shape {
			size *= n
		}
		p.Value = make([]float32, size)
		if err := binary.Read(r, binary.LittleEndian, p.Value); err != nil {
			return nil, fmt.Errorf("%s: %s %v: %w", parametersFile, p.Name, p.Shape, err)
		}
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return nil, fmt.Errorf("%s: there is more than the parameters of %s (%v)", parametersFile, jobFile, err)
	}
	return j, nil
}
