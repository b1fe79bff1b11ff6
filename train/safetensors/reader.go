package safetensors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// DefaultMaxHeader is the largest header, in bytes, that is accepted unless
// MaxHeader says otherwise. It is the limit of the reference implementation.
const DefaultMaxHeader = 100_000_000

// Option configures Open and NewReader.
type Option func(*config)

type config struct {
	maxHeader int64
	file      string
}

// MaxHeader refuses headers of more than n bytes. Parsing takes memory of a small
// multiple of the header's size.
func MaxHeader(n int64) Option { return func(c *config) { c.maxHeader = n } }

// FileName sets the name that errors give to the input. Open defaults to the path.
func FileName(name string) Option { return func(c *config) { c.file = name } }

// Reader gives access to the tensors of a safetensors file. Its header has been
// read and checked; data is read when asked for.
type Reader struct {
	src     io.ReaderAt
	closer  io.Closer // nil when the caller owns src
	file    string
	names   []string // sorted
	tensors map[string]Info
	meta    map[string]string
}

// Info describes a tensor in a file.
type Info struct {
	Name   string
	DType  DType
	Shape  []int // row-major; empty for a scalar
	Offset int64 // of the first byte, from the start of the file
	Size   int64 // in bytes
}

// Len returns the number of elements, 0 for the zero Info.
func (i Info) Len() int { return int(i.Size / int64(max(i.DType.Size(), 1))) }

// Open opens the file path and checks its header. The caller closes the Reader.
func Open(path string, opts ...Option) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	r, err := openFile(f, path, opts)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.closer = f
	return r, nil
}

func openFile(f *os.File, path string, opts []Option) (*Reader, error) {
	stat, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	if !stat.Mode().IsRegular() {
		return nil, &FormatError{File: path, Reason: fmt.Sprintf("not a regular file but %v", stat.Mode())}
	}
	return NewReader(f, stat.Size(), append([]Option{FileName(path)}, opts...)...)
}

// NewReader reads and checks the header of a file of size bytes. The Reader reads
// from src for as long as it is used; closing src is up to the caller.
func NewReader(src io.ReaderAt, size int64, opts ...Option) (*Reader, error) {
	c := config{maxHeader: DefaultMaxHeader, file: "input"}
	for _, opt := range opts {
		opt(&c)
	}
	header, err := readHeader(src, size, c)
	if err != nil {
		return nil, err
	}
	extents, meta, err := parseHeader(c.file, header)
	if err != nil {
		return nil, err
	}
	start := int64(lengthBytes + len(header))
	if err := checkLayout(c.file, extents, size-start); err != nil {
		return nil, err
	}
	r := &Reader{src: src, file: c.file, meta: meta, tensors: make(map[string]Info, len(extents))}
	for _, e := range extents {
		r.names = append(r.names, e.name)
		r.tensors[e.name] = Info{Name: e.name, DType: e.dtype, Shape: e.shape, Offset: start + e.begin, Size: e.end - e.begin}
	}
	slices.Sort(r.names)
	return r, nil
}

// readHeader returns the JSON of the header.
func readHeader(src io.ReaderAt, size int64, c config) ([]byte, error) {
	malformed := func(format string, args ...any) ([]byte, error) {
		return nil, &FormatError{File: c.file, Reason: fmt.Sprintf(format, args...)}
	}
	if size < lengthBytes {
		return malformed("has %d bytes, but the header length alone takes %d", size, lengthBytes)
	}
	var prefix [lengthBytes]byte
	if n, err := src.ReadAt(prefix[:], 0); n < lengthBytes {
		return nil, fmt.Errorf("safetensors: %s: reading the header length: %w", c.file, unexpected(err))
	}
	length := binary.LittleEndian.Uint64(prefix[:])
	if length > uint64(size-lengthBytes) {
		return malformed("header length is %d, but %d bytes follow it", length, size-lengthBytes)
	}
	if length > uint64(max(c.maxHeader, 0)) {
		return malformed("header length is %d, the limit is %d", length, c.maxHeader)
	}
	// ReadAll grows with what is really read, so that a size which overstates src
	// does not make a header length that overstates the header allocate.
	header, err := io.ReadAll(io.NewSectionReader(src, lengthBytes, int64(length)))
	if err != nil {
		return nil, fmt.Errorf("safetensors: %s: reading the header: %w", c.file, err)
	}
	if uint64(len(header)) < length {
		return nil, fmt.Errorf("safetensors: %s: reading the header: got %d of %d bytes: %w", c.file, len(header), length, io.ErrUnexpectedEOF)
	}
	return header, nil
}

// unexpected turns the end of the input, where more was promised, into an error.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Close closes the file that Open opened. It does nothing for NewReader.
func (r *Reader) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// Names returns the names of all tensors in ascending order.
func (r *Reader) Names() []string { return slices.Clone(r.names) }

// Info describes the tensor name and reports whether the file holds it.
func (r *Reader) Info(name string) (Info, bool) {
	info, ok := r.tensors[name]
	info.Shape = slices.Clone(info.Shape)
	return info, ok
}

// Metadata returns the string map of the header, nil when it has none.
func (r *Reader) Metadata() map[string]string { return maps.Clone(r.meta) }
