package safetensors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxDepth    = 16 // of JSON values of unknown keys
	replacement = string(utf8.RuneError)
)

// extent is a tensor as the header declares it; offsets count from the start of
// the data section.
type extent struct {
	name       string
	dtype      DType
	shape      []int
	begin, end int64
}

// parser reads the JSON of a header token by token, never into a tree, so that
// duplicate keys are seen and memory stays in proportion to what is kept.
type parser struct {
	dec    *json.Decoder
	header []byte
	file   string
	tensor string // being parsed, for errors
}

// parseHeader returns what a header declares. It checks the form only; checkLayout
// checks the numbers.
func parseHeader(file string, header []byte) ([]extent, map[string]string, error) {
	p := &parser{dec: json.NewDecoder(bytes.NewReader(header)), header: header, file: file}
	p.dec.UseNumber()
	if len(header) == 0 || header[0] != '{' {
		return nil, nil, p.errorf("header starts with %q, want \"{\"", header[:min(1, len(header))])
	}
	// The decoder would replace invalid bytes silently and so change names.
	if !utf8.Valid(header) {
		return nil, nil, p.errorf("header is not valid UTF-8")
	}
	var tensors []extent
	var meta map[string]string
	err := p.object(map[string]bool{}, func(key string) (err error) {
		if key == metadataKey {
			meta, err = p.metadata()
			return err
		}
		p.tensor = key
		e, err := p.extent(key)
		tensors = append(tensors, e)
		p.tensor = ""
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	end := p.dec.InputOffset()
	if rest := bytes.TrimLeft(header[end:], " \t\r\n"); len(rest) > 0 {
		return nil, nil, p.errorf("header goes on after byte %d, the end of its JSON object, with %.20q", end, rest)
	}
	return tensors, meta, nil
}

// metadata parses the value of the metadata key: an object of strings.
func (p *parser) metadata() (map[string]string, error) {
	meta := map[string]string{}
	err := p.object(map[string]bool{}, func(key string) (err error) {
		meta[key], err = p.str()
		return err
	})
	return meta, err
}

// extent parses the value of a tensor's key. Keys that the format does not define
// are skipped, as the reference implementation does.
func (p *parser) extent(name string) (extent, error) {
	e := extent{name: name}
	var offsets, shape []int64
	fields := map[string]bool{}
	err := p.object(fields, func(key string) error {
		switch key {
		case "dtype":
			s, err := p.str()
			e.dtype = DType(s)
			return err
		case "shape":
			return p.integers(&shape, maxRank, math.MaxInt)
		case "data_offsets":
			return p.integers(&offsets, 2, math.MaxInt64)
		}
		return p.skip(maxDepth)
	})
	if err != nil {
		return e, err
	}
	for _, key := range [...]string{"dtype", "shape", "data_offsets"} {
		if !fields[key] {
			return e, p.errorf("has no %q", key)
		}
	}
	if len(offsets) != 2 {
		return e, p.errorf("data_offsets has %d numbers, want 2", len(offsets))
	}
	e.begin, e.end = offsets[0], offsets[1]
	e.shape = make([]int, len(shape))
	for i, dim := range shape {
		e.shape[i] = int(dim)
	}
	return e, nil
}

// object parses an object and calls member for each key, to parse its value. It
// adds the keys to seen; a key that is there already is an error.
func (p *parser) object(seen map[string]bool, member func(key string) error) error {
	if err := p.delim('{'); err != nil {
		return err
	}
	for p.dec.More() {
		key, err := p.str()
		if err != nil {
			return err
		}
		if seen[key] {
			return p.errorf("header byte %d: key %s occurs twice", p.dec.InputOffset(), quote(key))
		}
		seen[key] = true
		if err := member(key); err != nil {
			return err
		}
	}
	return p.delim('}')
}

// integers parses an array of up to most integers in [0, limit] into dst.
func (p *parser) integers(dst *[]int64, most int, limit int64) error {
	if err := p.delim('['); err != nil {
		return err
	}
	for p.dec.More() {
		tok, err := p.token()
		if err != nil {
			return err
		}
		num, ok := tok.(json.Number)
		if !ok {
			return p.unexpected(tok, "a number")
		}
		n, err := strconv.ParseInt(num.String(), 10, 64)
		if err != nil || n < 0 || n > limit {
			return p.errorf("header byte %d: %.40s is not an integer from 0 to %d", p.dec.InputOffset(), num, limit)
		}
		if len(*dst) == most {
			return p.errorf("header byte %d: more than %d numbers in an array", p.dec.InputOffset(), most)
		}
		*dst = append(*dst, n)
	}
	return p.delim(']')
}

// skip parses a value of any kind and drops it.
func (p *parser) skip(most int) error {
	for depth := 0; ; {
		tok, err := p.token()
		if err != nil {
			return err
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			if depth++; depth > most {
				return p.errorf("header byte %d: JSON is nested more than %d deep", p.dec.InputOffset(), most)
			}
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

func (p *parser) str() (string, error) {
	start := p.dec.InputOffset()
	tok, err := p.token()
	if err != nil {
		return "", err
	}
	s, ok := tok.(string)
	if !ok {
		return "", p.unexpected(tok, "a string")
	}
	// The decoder replaces half a surrogate pair by U+FFFD: one that is not spelled out
	// in the header stands for something that is not text.
	raw := p.header[start:p.dec.InputOffset()]
	if strings.Count(s, replacement) != bytes.Count(raw, []byte(replacement)) {
		return "", p.errorf("header byte %d: string has an escape that is not a character", start)
	}
	return s, nil
}

func (p *parser) delim(want json.Delim) error {
	tok, err := p.token()
	if err != nil {
		return err
	}
	if tok != want {
		return p.unexpected(tok, strconv.Quote(want.String()))
	}
	return nil
}

func (p *parser) token() (json.Token, error) {
	tok, err := p.dec.Token()
	switch {
	case err == nil:
		return tok, nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, p.errorf("header ends at byte %d within its JSON", p.dec.InputOffset())
	default:
		return nil, p.errorf("header byte %d: %v", p.dec.InputOffset(), err)
	}
}

func (p *parser) unexpected(tok json.Token, want string) error {
	return p.errorf("header byte %d: found %.40s, want %s", p.dec.InputOffset(), fmt.Sprintf("%#v", tok), want)
}

func (p *parser) errorf(format string, args ...any) error {
	return &FormatError{File: p.file, Tensor: p.tensor, Reason: fmt.Sprintf(format, args...)}
}
