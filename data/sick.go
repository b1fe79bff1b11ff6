package data

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Scores of SICK pairs lie between these, from unrelated to equal in meaning.
const (
	SICKMinScore = 1.0
	SICKMaxScore = 5.0
)

// SICKPair is a pair of sentences with the score of their relatedness.
type SICKPair struct {
	A, B  *Tree
	Score float64 // SICKMinScore..SICKMaxScore
}

// SICKSources are the inputs of a SICKReader. Line i of each is about pair i.
type SICKSources struct {
	AToks, AParents, BToks, BParents Source // see ParentsReader
	Scores                           Source // a number per line
}

// SICKReader reads pairs of dependency trees, as the TreeLSTM programs of Tai et al.
// (2015) prepare the SICK data.
type SICKReader struct {
	group  lineGroup
	parser dependencyParser
	files  []*os.File // what OpenSICK has opened
}

// The order of the inputs in the group.
const (
	sickAToks = iota
	sickAParents
	sickBToks
	sickBParents
	sickScores
)

var sickFiles = [...]string{
	sickAToks: "a.toks", sickAParents: "a.parents",
	sickBToks: "b.toks", sickBParents: "b.parents",
	sickScores: "sim.txt",
}

// NewSICKReader returns a reader of the given inputs.
func NewSICKReader(s SICKSources) *SICKReader {
	return &SICKReader{group: newLineGroup(s.AToks, s.AParents, s.BToks, s.BParents, s.Scores)}
}

// OpenSICK returns a reader of the files a.toks, a.parents, b.toks, b.parents and
// sim.txt of a directory. The caller closes it.
func OpenSICK(dir string) (*SICKReader, error) {
	var files []*os.File
	var sources []Source
	for _, name := range sickFiles {
		path := filepath.Join(dir, name)
		file, err := os.Open(path)
		if err != nil {
			for _, f := range files {
				f.Close()
			}
			return nil, fmt.Errorf("data: %w", err)
		}
		files = append(files, file)
		sources = append(sources, Source{path, file})
	}
	return &SICKReader{group: newLineGroup(sources...), files: files}, nil
}

// Close closes the files of a reader that OpenSICK has made. Later calls do nothing.
func (s *SICKReader) Close() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	s.files = nil
	return errors.Join(errs...)
}

// Next returns the next pair, io.EOF after the last one, or an error that joins a
// *SyntaxError for each input that is malformed, after which it goes on with the next
// pair. When an input has fewer lines than the others, that is reported once and ends
// the stream; an error of an input is final.
func (s *SICKReader) Next() (SICKPair, error) {
	if err := s.group.next(); err != nil {
		return SICKPair{}, err
	}
	a, errA := s.tree(sickAToks, sickAParents)
	b, errB := s.tree(sickBToks, sickBParents)
	score, errScore := s.score()
	if err := errors.Join(errA, errB, errScore); err != nil {
		return SICKPair{}, err
	}
	return SICKPair{a, b, score}, nil
}

// All iterates over the rest of the stream, like PTBReader.All.
func (s *SICKReader) All() iter.Seq2[SICKPair, error] { return sequence(s.Next) }

func (s *SICKReader) tree(toks, parents int) (*Tree, error) {
	g := &s.group
	return s.parser.parse(&g.readers[toks], &g.readers[parents], g.lines[toks], g.lines[parents])
}

func (s *SICKReader) score() (float64, error) {
	text := strings.TrimFunc(string(s.group.lines[sickScores]), func(r rune) bool { return r < 0x80 && isBlank(byte(r)) })
	score, err := strconv.ParseFloat(text, 64)
	if err != nil || !(score >= SICKMinScore && score <= SICKMaxScore) {
		return 0, s.group.readers[sickScores].errorf(0, nil, "expected a score %v..%v, found %s", SICKMinScore, SICKMaxScore, quote(text))
	}
	return score, nil
}

// ReadSICK reads all pairs of a directory with the files of OpenSICK. Errors are as
// those of ReadPTBFile.
func ReadSICK(dir string) ([]SICKPair, error) {
	reader, err := OpenSICK(dir)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	pairs, report, err := Collect(reader.All())
	return pairs, report.strict(dir, err)
}
