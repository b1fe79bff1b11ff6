package safetensors

import (
	"bufio"
	"fmt"
	"io"
)

// bufferSize is that of the chunks in which data is converted and moved.
const bufferSize = 64 << 10

// Write writes tensors and meta to w in the safetensors format. Order of the
// arguments does not matter; see the package documentation for the order in the
// file. An empty meta writes no metadata.
//
// All arguments are checked before the first byte is written. Names must be
// unique, not empty, valid UTF-8 and not "__metadata__"; dtypes known; data as long
// as the shape says; and the header at most DefaultMaxHeader bytes. Violations wrap
// ErrInvalid. An error of w, or of the reader of
// a Raw tensor, is wrapped and leaves w with an incomplete file: to replace a file
// safely use WriteFile.
func Write(w io.Writer, tensors []Tensor, meta map[string]string) error {
	ordered, err := layout(tensors)
	if err != nil {
		return err
	}
	header, err := encodeHeader(ordered, meta, DefaultMaxHeader)
	if err != nil {
		return err
	}
	buf := bufio.NewWriterSize(w, bufferSize)
	if _, err := buf.Write(header); err != nil {
		return fmt.Errorf("safetensors: writing the header: %w", err)
	}
	for _, t := range ordered {
		if err := t.data.encode(buf, t.end-t.begin); err != nil {
			return fmt.Errorf("safetensors: writing tensor %s: %w", quote(t.Name), err)
		}
	}
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("safetensors: writing the last bytes: %w", err)
	}
	return nil
}
