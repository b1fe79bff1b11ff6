package data

import (
	"fmt"
	"os"
)

// ReadJSONFile reads all documents of a file. If some are broken it returns the others
// and an error that joins a *SyntaxError for each, MaxReportedErrors at most. A file
// without a document gives ErrEmpty, a missing one wraps fs.ErrNotExist.
func ReadJSONFile(path string, o JSONOptions) ([]*Tree, error) {
	trees, report, err := readJSONFile(path, o)
	return trees, report.strict(path, err)
}

// ReadJSONFileLenient reads the documents of a file that can be read, and reports what
// it skipped. The error is about the file as a whole, as in ReadPTBFileLenient.
func ReadJSONFileLenient(path string, o JSONOptions) ([]*Tree, Report, error) {
	trees, report, err := readJSONFile(path, o)
	if err == nil && report.Trees == 0 {
		err = errNothing(path)
	}
	return trees, report, err
}

func readJSONFile(path string, o JSONOptions) ([]*Tree, Report, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, Report{}, fmt.Errorf("data: %w", err)
	}
	defer file.Close()
	return Collect(NewJSONReader(file, path, o).All())
}
