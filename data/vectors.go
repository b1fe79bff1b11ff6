package data

import (
	"fmt"
	"io"
	"iter"
	"strconv"
)

// VectorFormat is a file format of word vectors.
type VectorFormat uint8

const (
	// VectorText has a word per line and its numbers behind it, divided by ASCII
	// blanks: the files of GloVe, and those of word2vec and fastText (.vec), which begin
	// with a line that holds the number of words and of elements.
	VectorText VectorFormat = iota
	// VectorBinary is the binary format of word2vec: that line, then for each word its
	// bytes, a blank, and its elements as little-endian float32.
	VectorBinary
)

// Limits of files of word vectors.
const (
	MaxVectorDim       = 1 << 14 // elements of a vector
	MaxVectorWordBytes = 1 << 16 // bytes of a word in VectorBinary
)

// VectorOptions says how word vectors are read. The zero value takes everything of a
// text file.
type VectorOptions struct {
	Format VectorFormat
	// Dim is the number of elements that every vector has; 0 takes it from the header
	// or, where there is none, from the first line.
	Dim int
	// MaxWords ends the stream after so many words of the file, which usually has the
	// frequent ones first; 0 reads all.
	MaxWords int
	// Keep says which words are wanted; nil takes all. Nothing is asked of the others
	// but that their vectors are of the right length.
	Keep func(word string) bool
}

func (o VectorOptions) check() error {
	switch {
	case o.Format > VectorBinary:
		return fmt.Errorf("%w: got Format %d, want VectorText or VectorBinary", ErrOption, o.Format)
	case o.Dim < 0 || o.Dim > MaxVectorDim:
		return fmt.Errorf("%w: got Dim %d, want 1..%d, or 0 to take it from the file", ErrOption, o.Dim, MaxVectorDim)
	case o.MaxWords < 0:
		return fmt.Errorf("%w: got MaxWords %d, want 1 or more, or 0 for all", ErrOption, o.MaxWords)
	}
	return nil
}

// WordVector is a word and its vector.
type WordVector struct {
	Word   string
	Vector []float32 // [dim], finite
	Pos    Position  // of the word
}

// VectorReader reads word vectors from a stream, one at a time.
//
// A word may hold blanks (". . ."), since the elements are counted from the right. A
// word with blanks whose last part is a number is refused, as it cannot be told from a
// vector that is too long. NaN and infinite elements are refused. Words that come
// twice are not noticed here, because that would take the memory of all words; see
// ReadEmbedding.
//
// In a binary file, whose lines are no lines, a position counts the header as line 1
// and each word with its vector as one more line.
type VectorReader struct {
	o     VectorOptions
	file  vectorFile
	words int // of the file, up to here
	err   error
}

// vectorFile is what differs between the formats.
type vectorFile interface {
	// next moves to the next record and returns its word, valid until the call after.
	next() ([]byte, Position, error)
	// vector returns the elements of the record.
	vector() ([]float32, error)
	// dim returns the number of elements, 0 as long as it is not known.
	dim() int
	// declared returns the number of words by the header, -1 where there is none.
	declared() int
	// end returns the place behind the last record.
	end() Position
}

// NewVectorReader returns a reader of r. The name stands for the input in positions and
// may be empty. Wrong options are reported by the first Next.
func NewVectorReader(r io.Reader, name string, o VectorOptions) *VectorReader {
	v := &VectorReader{o: o, err: o.check()}
	if o.Format == VectorBinary {
		v.file = newBinaryVectors(r, name, o.Dim)
	} else {
		v.file = &textVectors{lines: newLineReader(Source{name, r}), want: o.Dim, count: noCount}
	}
	return v
}

// Dim returns the number of elements of a vector, 0 before it is known: it is after
// Next has returned a vector.
func (v *VectorReader) Dim() int { return v.file.dim() }

// Words returns how many words of the file have been met, wanted or not.
func (v *VectorReader) Words() int { return v.words }

// Next returns the next wanted word, io.EOF after the last one, or a *SyntaxError, after
// which it goes on with the next word. At the end, a number of words that is not the one
// of the header is such an error, too. An unusable header, an error of the input, and a
// binary file that ends in the middle are final.
func (v *VectorReader) Next() (WordVector, error) {
	for v.err == nil {
		if v.o.MaxWords > 0 && v.words == v.o.MaxWords {
			v.err = io.EOF
			break
		}
		word, at, err := v.file.next()
		if err == io.EOF {
			v.err = io.EOF
			if n := v.file.declared(); n != noCount && n != v.words {
				return WordVector{}, syntaxError(v.file.end(), nil, "expected %d words, as the header says, found %d", n, v.words)
			}
			break
		}
		if err != nil {
			return WordVector{}, v.failed(err)
		}
		v.words++
		if v.o.Keep != nil && !v.o.Keep(string(word)) {
			continue
		}
		return v.take(word, at)
	}
	return WordVector{}, v.err
}

// failed sorts an error of a record: some end the stream.
func (v *VectorReader) failed(err error) error {
	if final, ok := err.(finalError); ok {
		v.err = io.EOF
		return final.SyntaxError
	}
	if !isSyntax(err) {
		v.err = err
		return err
	}
	v.words++ // a broken record counts for the number of the header
	return err
}

// finalError is a mistake in the input behind which nothing can be found.
type finalError struct{ *SyntaxError }

func (v *VectorReader) take(word []byte, at Position) (WordVector, error) {
	if f := encodingFault(word); f != nil {
		at.Column += f.offset
		return WordVector{}, syntaxError(at, f.sentinel, f.format, f.args...)
	}
	w := WordVector{Word: string(word), Pos: at}
	var err error
	w.Vector, err = v.file.vector()
	if err != nil {
		return WordVector{}, err
	}
	return w, nil
}

// All iterates over the rest of the stream, like PTBReader.All.
func (v *VectorReader) All() iter.Seq2[WordVector, error] { return sequence(v.Next) }

const noCount = -1

// vectorHeader reads "words elements", and reports whether line has that form.
func vectorHeader(line []byte) (words, dim int, ok bool) {
	var numbers []int
	for _, field := range fields(line) {
		n, err := strconv.Atoi(string(field))
		if err != nil || n < 0 || len(numbers) == 2 {
			return 0, 0, false
		}
		numbers = append(numbers, n)
	}
	if len(numbers) < 2 || numbers[1] == 0 {
		return 0, 0, false
	}
	return numbers[0], numbers[1], true
}

// checkVectorDim compares the elements of the header with those that the caller wants.
func checkVectorDim(at Position, dim, want int) error {
	switch {
	case dim > MaxVectorDim:
		return finalError{syntaxError(at, ErrLimit, "expected vectors of at most %d elements, found a header with %d", MaxVectorDim, dim)}
	case want != 0 && want != dim:
		return finalError{syntaxError(at, nil, "expected vectors of %d elements, found a header with %d", want, dim)}
	}
	return nil
}
