package main

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/frondml/frond/exec"
)

// subjectFlags say which model a command looks at: one in a file, or a new one as train
// would begin with.
type subjectFlags struct{ model, config, data string }

func (f *subjectFlags) vars(fs *flag.FlagSet) {
	fs.StringVar(&f.model, "model", "", "`file` of a model; a new one without it")
	fs.StringVar(&f.config, "config", "", "`file` with the settings of a new model, as train -print-config writes")
	fs.StringVar(&f.data, "data", "", "`directory` of a treebank; without it the data of the model, or ListOps")
}

func (f *subjectFlags) check(command string) error {
	if f.model != "" && f.config != "" {
		return usageError{fmt.Errorf("%s: -model and -config: want one of them", command)}
	}
	return nil
}

// subject is a model and the trees that it is for.
type subject struct {
	trees corpus
	// load makes the model anew, for a session with other options.
	load func(exec.Options) (*model, error)
}

// open reads the model, or what it takes to make one. Broken trees that were skipped are
// reported to w.
func (f *subjectFlags) open(w io.Writer) (*subject, error) {
	if f.model != "" {
		return f.openFile(w)
	}
	args := []string{}
	for name, value := range map[string]string{"config": f.config, "data": f.data} {
		if value != "" {
			args = append(args, "-"+name, value)
		}
	}
	made, err := parseTrain(args, nil, io.Discard)
	if err != nil {
		return nil, err
	}
	c := made.config
	sets, err := c.trainingSets(w)
	if err != nil {
		return nil, err
	}
	v, vectors, err := c.words(sets.train)
	if err != nil {
		return nil, err
	}
	if err := c.settleWidths(vectors); err != nil {
		return nil, err
	}
	return &subject{sets.train, func(o exec.Options) (*model, error) { return newModel(c, v, o) }}, nil
}

func (f *subjectFlags) openFile(w io.Writer) (*subject, error) {
	m, err := loadModel(f.model, exec.Options{Workers: 1})
	if err != nil {
		return nil, err
	}
	trees, err := m.config.set(f.data, "train", w)
	err = errors.Join(err, m.session.Close())
	return &subject{trees, func(o exec.Options) (*model, error) { return loadModel(f.model, o) }}, err
}
