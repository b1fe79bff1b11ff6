// Package metrics keeps a file of records, one JSON object per line, to which a program
// that was interrupted can go on writing.
//
// Every record goes to the file at once and whole. A program that was killed may leave
// the beginning of one; [Continue] removes it, and what was recorded after the state from
// which the program goes on.
//
// A File belongs to one goroutine. Errors name the file.
package metrics

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// File is a file of records.
type File struct{ file *os.File }

// Create replaces the file path by an empty one.
func Create(path string) (*File, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// Continue opens the file path, or creates it, and cuts it off before the first record
// that is incomplete or that keep does not want.
func Continue(path string, keep func(record []byte) bool) (*File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	end, err := kept(f, keep)
	if err == nil {
		err = f.Truncate(end)
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return &File{f}, nil
}

// maxRecord limits what is taken for a record.
const maxRecord = 1 << 20

// kept returns how many bytes of r are records that keep wants.
func kept(r io.Reader, keep func([]byte) bool) (int64, error) {
	end := int64(0)
	lines := bufio.NewReaderSize(r, maxRecord)
	for {
		line, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, bufio.ErrBufferFull):
			return end, nil
		case err != nil:
			return 0, err
		case !json.Valid(line) || !keep(bytes.TrimSuffix(line, []byte("\n"))):
			return end, nil
		}
		end += int64(len(line))
	}
}

// Write adds a record.
func (f *File) Write(record any) error {
	line, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("%s: %w", f.file.Name(), err)
	}
	_, err = f.file.Write(append(line, '\n'))
	return err
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }
