package data

import (
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"
)

// GoTrees iterates over the trees of all Go files below the root of a file system, file
// by file in lexical order. A file that is not Go gives a *SyntaxError, and the
// iteration goes on with the next one; errors of the file system and of the options end
// it. One file is in memory at a time.
func GoTrees(fsys fs.FS, o GoOptions) iter.Seq2[*GoTree, error] {
	return func(yield func(*GoTree, error) bool) {
		o, err := o.resolve()
		if err == nil {
			err = fs.WalkDir(fsys, ".", func(path string, entry fs.DirEntry, err error) error {
				switch {
				case err != nil:
					return fmt.Errorf("data: %w", err)
				case entry.IsDir() && skipsGoDir(path, entry.Name()):
					return fs.SkipDir
				case !entry.Type().IsRegular() || !strings.HasSuffix(path, ".go") || o.Include != nil && !o.Include(path):
					return nil
				}
				return yieldGoFile(fsys, path, o, yield)
			})
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func skipsGoDir(path, name string) bool {
	return path != "." && (name == "testdata" || strings.HasPrefix(name, "."))
}

// yieldGoFile returns fs.SkipAll when the loop has been left.
func yieldGoFile(fsys fs.FS, path string, o GoOptions, yield func(*GoTree, error) bool) error {
	source, err := readGoFile(fsys, path, o.MaxFileBytes)
	if err != nil {
		return err
	}
	trees, err := parseGo(path, source, o)
	switch {
	case err != nil && !isSyntax(err):
		return err
	case err != nil && !yield(nil, err):
		return fs.SkipAll
	}
	for _, t := range trees {
		if !yield(t, nil) {
			return fs.SkipAll
		}
	}
	return nil
}

// readGoFile reads one byte more than the limit at most.
func readGoFile(fsys fs.FS, path string, limit int) ([]byte, error) {
	file, err := fsys.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer file.Close()
	source, err := io.ReadAll(io.LimitReader(file, int64(limit)+1))
	if err != nil {
		return nil, inputError(path, err)
	}
	return source, nil
}

// ReadGo reads all Go files of a file system, as GoTrees does. If some are broken it
// returns the trees of the others, and an error that joins a *SyntaxError for each,
// MaxReportedErrors at most. It wraps ErrEmpty if there is nothing to read.
func ReadGo(fsys fs.FS, o GoOptions) ([]*GoTree, error) {
	trees, report, err := Collect(GoTrees(fsys, o))
	return trees, report.strict("Go source", err)
}

// ReadGoLenient reads the Go files that can be read, and reports what it skipped: a
// broken file counts once. The error is about the whole: an unreadable directory or
// file, wrong options, or, wrapping ErrEmpty, not a single tree.
func ReadGoLenient(fsys fs.FS, o GoOptions) ([]*GoTree, Report, error) {
	trees, report, err := Collect(GoTrees(fsys, o))
	if err == nil && report.Trees == 0 {
		err = errNothing("Go source")
	}
	return trees, report, err
}
