package safetensors

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

const (
	// alignment is that of the data section and the most that a tensor gets: a cache
	// line and the widest vector register.
	alignment   = 64
	lengthBytes = 8 // of the header length that starts a file
	metadataKey = "__metadata__"
)

// encodeHeader returns the length and the JSON, padded so that the data which
// follows is aligned. Tensors are listed in the order of their data because some
// readers check contiguity in the order of the header. JSON of more than limit
// bytes is an error.
func encodeHeader(tensors []placed, meta map[string]string, limit int) ([]byte, error) {
	h := append(make([]byte, lengthBytes), '{')
	if len(meta) > 0 {
		var err error
		if h, err = appendMetadata(h, meta); err != nil {
			return nil, err
		}
	}
	for i, t := range tensors {
		if i > 0 || len(meta) > 0 {
			h = append(h, ',')
		}
		h = appendTensor(h, t)
	}
	h = append(h, '}')
	for len(h)%alignment != 0 {
		h = append(h, ' ')
	}
	n := len(h) - lengthBytes
	if n > limit {
		return nil, fmt.Errorf("safetensors: header takes %d bytes, readers accept %d: %w", n, limit, ErrInvalid)
	}
	binary.LittleEndian.PutUint64(h, uint64(n))
	return h, nil
}

func appendMetadata(h []byte, meta map[string]string) ([]byte, error) {
	h = append(appendString(h, metadataKey), ":{"...)
	for i, key := range slices.Sorted(maps.Keys(meta)) {
		if !utf8.ValidString(key) || !utf8.ValidString(meta[key]) {
			return nil, fmt.Errorf("safetensors: metadata %s: %s is not valid UTF-8: %w", quote(key), quote(meta[key]), ErrInvalid)
		}
		if i > 0 {
			h = append(h, ',')
		}
		h = append(appendString(h, key), ':')
		h = appendString(h, meta[key])
	}
	return append(h, '}'), nil
}

func appendTensor(h []byte, t placed) []byte {
	h = append(appendString(h, t.Name), `:{"dtype":`...)
	h = append(appendString(h, string(t.DType)), `,"shape":[`...)
	for i, dim := range t.Shape {
		if i > 0 {
			h = append(h, ',')
		}
		h = strconv.AppendInt(h, int64(dim), 10)
	}
	h = append(h, `],"data_offsets":[`...)
	h = append(strconv.AppendInt(h, t.begin, 10), ',')
	return append(strconv.AppendInt(h, t.end, 10), "]}"...)
}

// appendString appends s, which is valid UTF-8, as a JSON string.
func appendString(h []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic("safetensors: marshalling a string: " + err.Error())
	}
	return append(h, quoted...)
}
