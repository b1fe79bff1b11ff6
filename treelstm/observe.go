package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/frondml/frond/exec"
)

// observation says where a command writes what its computation costs; "" for nowhere.
type observation struct {
	profile string
	trace   string
}

func (o *observation) vars(fs *flag.FlagSet) {
	fs.StringVar(&o.profile, "opprofile", o.profile, "`file` for the costs of every operator: time, operations, bytes; to be read with go tool pprof")
	fs.StringVar(&o.trace, "trace", o.trace, "`file` for a time line of everything computed, to be opened in Perfetto; tens of kilobytes per batch of trees")
}

// observe calls f with options under which a session is observed, and writes the files
// when f has returned and closed the session, whether it failed or not. It creates the
// files before: nobody wants to train first and then learn that there is no place.
func (o observation) observe(opts exec.Options, f func(exec.Options) error) (err error) {
	finish := func(what, file string, end func() error) {
		if e := end(); e != nil {
			err = errors.Join(err, fmt.Errorf("-%s %s: %w", what, file, e))
		}
	}
	if o.trace != "" {
		w, err := create(o.trace)
		if err != nil {
			return fmt.Errorf("-trace: %w", err)
		}
		opts.Trace = w
		defer finish("trace", o.trace, w.Close)
	}
	if o.profile != "" {
		w, err := create(o.profile)
		if err != nil {
			return fmt.Errorf("-opprofile: %w", err)
		}
		opts.Profile = &exec.Profile{}
		defer finish("opprofile", o.profile, func() error { return errors.Join(opts.Profile.Write(w), w.Close()) })
	}
	return f(opts)
}

// bufferedFile is a file that many small writes go to.
type bufferedFile struct {
	*bufio.Writer
	file io.Closer
}

func create(name string) (*bufferedFile, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	return &bufferedFile{bufio.NewWriterSize(f, 1<<16), f}, nil
}

// Close writes what is left.
func (f *bufferedFile) Close() error { return errors.Join(f.Flush(), f.file.Close()) }
