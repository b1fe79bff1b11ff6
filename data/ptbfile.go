package data

import (
	"errors"
	"fmt"
	"iter"
	"os"
)

// MaxReportedErrors is how many errors are kept of one file; the others are counted.
const MaxReportedErrors = 100

// Report says how much of a file could be read.
type Report struct {
	Trees   int     // trees, or other items, read
	Skipped int     // broken ones, and texts outside of trees
	Errs    []error // the first MaxReportedErrors of these, in the order of the file
}

// Err returns the errors joined, nil if there are none.
func (r *Report) Err() error {
	errs := r.Errs
	if more := r.Skipped - len(errs); more > 0 {
		errs = append(errs[:len(errs):len(errs)], fmt.Errorf("%w: errors that are not shown: %d", ErrSyntax, more))
	}
	return errors.Join(errs...)
}

// Collect is the lenient way to read a stream: it reads all items of a reader's All,
// keeps the good ones and counts the errors about malformed ones. The error is one that
// ended the stream.
func Collect[T any](items iter.Seq2[T, error]) ([]T, Report, error) {
	var good []T
	var report Report
	for item, err := range items {
		switch {
		case err == nil:
			good = append(good, item)
			report.Trees++
		case isSyntax(err):
			report.Skipped++
			if len(report.Errs) < MaxReportedErrors {
				report.Errs = append(report.Errs, err)
			}
		default:
			return good, report, err
		}
	}
	return good, report, nil
}

// strict turns the outcome of collecting into one error: all errors joined, or
// ErrEmpty with the name of the input where there was neither an item nor an error.
func (r *Report) strict(name string, err error) error {
	if err == nil && r.Trees+r.Skipped == 0 {
		err = errNothing(name)
	}
	return errors.Join(r.Err(), err)
}

func errNothing(name string) error {
	return fmt.Errorf("%w: %s: expected at least one tree, found none", ErrEmpty, name)
}

// ReadPTBFile reads all trees of a file. If some are broken it returns the others,
// and an error that joins a *SyntaxError for each, MaxReportedErrors at most. A file
// without any text gives ErrEmpty, a missing one wraps fs.ErrNotExist.
func ReadPTBFile(path string, o PTBOptions) ([]*Tree, error) {
	trees, report, err := readPTBFile(path, o)
	return trees, report.strict(path, err)
}

// ReadPTBFileLenient reads the trees of a file that can be read, and reports what it
// skipped. The error is about the file as a whole: missing, unreadable, wrong options,
// or, wrapping ErrEmpty, without a single good tree.
func ReadPTBFileLenient(path string, o PTBOptions) ([]*Tree, Report, error) {
	trees, report, err := readPTBFile(path, o)
	if err == nil && report.Trees == 0 {
		err = errNothing(path)
	}
	return trees, report, err
}

func readPTBFile(path string, o PTBOptions) ([]*Tree, Report, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, Report{}, fmt.Errorf("data: %w", err)
	}
	defer file.Close()
	return Collect(NewPTBReader(file, path, o).All())
}
