package data

import (
	"errors"
	"io"
)

// lineGroup reads several inputs line by line, side by side.
type lineGroup struct {
	readers []lineReader
	lines   [][]byte // the current line of each, valid until the next call of next
	err     error    // ends the stream
}

func newLineGroup(sources ...Source) lineGroup {
	g := lineGroup{lines: make([][]byte, len(sources))}
	for _, s := range sources {
		g.readers = append(g.readers, newLineReader(s))
	}
	return g
}

// next moves every input to its next line. It returns io.EOF when all are at their end,
// and an error about malformed input when some are, or when lines are too long; in the
// latter case next may be called again, since all inputs have moved on.
func (g *lineGroup) next() error {
	if g.err != nil {
		return g.err
	}
	ended, going := -1, -1 // an input at its end, and one that is not
	var malformed []error
	for i := range g.readers {
		line, err := g.readers[i].next()
		g.lines[i] = line
		switch {
		case err == io.EOF:
			ended = i
			continue
		case isSyntax(err):
			malformed = append(malformed, err)
		case err != nil:
			g.err = err
			return err
		}
		going = i
	}
	switch {
	case going < 0:
		g.err = io.EOF
		return io.EOF
	case ended >= 0:
		g.err = io.EOF
		return g.readers[going].errorf(0, nil, "expected the end of the input, as in %s after %d lines, found another line",
			g.readers[ended].name, g.readers[ended].line)
	case len(malformed) == 1:
		return malformed[0]
	}
	return errors.Join(malformed...)
}
