package safetensors

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf8"
)

// Tensor is one tensor to be written: a name, an element type, a row-major shape
// (nil or empty for a scalar) and the data. Make it with Of or Raw.
type Tensor struct {
	Name  string
	DType DType
	Shape []int

	data payload
}

// Of returns a tensor whose elements are data, in row-major order. The slices are
// borrowed until the tensor has been written. That len(data) is the product of
// shape is checked by Write.
func Of[T Element](name string, shape []int, data []T) Tensor {
	return Tensor{Name: name, DType: dtypeOf[T](), Shape: shape, data: elements[T](data)}
}

// Raw returns a tensor whose bytes, little-endian and row-major, Write takes from
// r: exactly as many as dtype and shape need. It serves dtypes without a Go type,
// data that is made while it is written, and copies between files (see
// Reader.Section). Such a tensor can be written once.
func Raw(name string, dtype DType, shape []int, r io.Reader) Tensor {
	return Tensor{Name: name, DType: dtype, Shape: shape, data: stream{r}}
}

// checkTensor returns the byte size of t. Its error completes "tensor NAME ...".
func checkTensor(t Tensor) (int64, error) {
	switch {
	case t.Name == "":
		return 0, fmt.Errorf("has no name")
	case t.Name == metadataKey:
		return 0, fmt.Errorf("has the name that the format reserves for metadata")
	case !utf8.ValidString(t.Name):
		return 0, fmt.Errorf("has a name that is not valid UTF-8")
	case t.data == nil:
		return 0, fmt.Errorf("has no data: make it with Of or Raw")
	}
	size, err := byteSize(t.DType, t.Shape)
	if err != nil {
		return 0, fmt.Errorf("cannot be stored: %w", err)
	}
	return size, t.data.check(t.DType, size)
}

// payload is where the bytes of a tensor come from.
type payload interface {
	// check reports whether the payload has size bytes of dtype, as far as it can know.
	check(dtype DType, size int64) error
	// encode writes size bytes.
	encode(w *bufio.Writer, size int64) error
}

var (
	_ payload = elements[float32](nil)
	_ payload = stream{}
)

// elements are the elements of a tensor in host memory.
type elements[T Element] []T

func (e elements[T]) check(dtype DType, size int64) error {
	if own := dtypeOf[T](); dtype != own {
		return fmt.Errorf("is declared %s, its data is %s", dtype, own)
	}
	if want := size / int64(dtype.Size()); int64(len(e)) != want {
		return fmt.Errorf("has %d elements of data, its shape needs %d", len(e), want)
	}
	return nil
}

// encode fills the free part of w's own buffer again and again, so no bytes of the
// tensor exist anywhere but there.
func (e elements[T]) encode(w *bufio.Writer, _ int64) error {
	size := dtypeOf[T]().Size()
	for len(e) > 0 {
		if w.Available() < size {
			if err := w.Flush(); err != nil {
				return err
			}
		}
		n := min(len(e), w.Available()/size)
		chunk, err := binary.Append(w.AvailableBuffer(), binary.LittleEndian, []T(e[:n]))
		if err != nil {
			return err
		}
		if _, err := w.Write(chunk); err != nil {
			return err
		}
		e = e[n:]
	}
	return nil
}

// stream is a tensor whose bytes come from a reader.
type stream struct{ r io.Reader }

func (s stream) check(DType, int64) error {
	if s.r == nil {
		return fmt.Errorf("has no reader")
	}
	return nil
}

func (s stream) encode(w *bufio.Writer, size int64) error {
	n, err := io.CopyN(w, s.r, size)
	if err == io.EOF {
		return fmt.Errorf("source ended after %d of %d bytes: %w", n, size, io.ErrUnexpectedEOF)
	}
	return err
}
