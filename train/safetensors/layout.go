package safetensors

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// placed is a tensor with its range in the data section.
type placed struct {
	Tensor
	begin, end int64
}

// layout checks the tensors and gives each its place. Sorted by falling granule,
// all tensors before one have byte sizes divisible by its granule, and so has its
// offset.
func layout(tensors []Tensor) ([]placed, error) {
	out := make([]placed, len(tensors))
	seen := make(map[string]bool, len(tensors))
	for i, t := range tensors {
		size, err := checkTensor(t)
		if err != nil {
			return nil, fmt.Errorf("safetensors: tensor %s %w: %w", quote(t.Name), err, ErrInvalid)
		}
		if seen[t.Name] {
			return nil, fmt.Errorf("safetensors: tensor %s is given twice: %w", quote(t.Name), ErrInvalid)
		}
		seen[t.Name] = true
		out[i] = placed{Tensor: t, end: size}
	}
	slices.SortFunc(out, func(a, b placed) int {
		return cmp.Or(cmp.Compare(granule(b.end), granule(a.end)), cmp.Compare(a.Name, b.Name))
	})
	var offset int64
	for i := range out {
		size := out[i].end
		if size > math.MaxInt64-offset {
			return nil, fmt.Errorf("safetensors: tensor %s: %d bytes at offset %d overflow a file offset: %w",
				quote(out[i].Name), size, offset, ErrInvalid)
		}
		out[i].begin, out[i].end = offset, offset+size
		offset += size
	}
	return out, nil
}

// granule returns the largest power of two, up to alignment, that divides size.
func granule(size int64) int64 {
	size |= alignment
	return size & -size
}

// checkLayout checks that every tensor is as large as its dtype and shape say and
// that the tensors tile a data section of size bytes. It sorts them by offset.
func checkLayout(file string, tensors []extent, size int64) error {
	slices.SortFunc(tensors, func(a, b extent) int {
		// An empty tensor shares its offset with the one that follows it.
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end), cmp.Compare(a.name, b.name))
	})
	var covered int64 // bytes of the data section that the tensors so far fill
	for i, t := range tensors {
		if reason := checkExtent(t, size); reason != "" {
			return &FormatError{File: file, Tensor: t.name, Reason: reason}
		}
		switch {
		case t.begin > covered:
			return &FormatError{File: file, Tensor: t.name,
				Reason: fmt.Sprintf("starts at offset %d, but the data before it ends at %d", t.begin, covered)}
		case t.begin < covered:
			return &FormatError{File: file, Tensor: t.name,
				Reason: fmt.Sprintf("starts at offset %d, within tensor %s that ends at %d", t.begin, quote(tensors[i-1].name), covered)}
		}
		covered = t.end
	}
	if covered != size {
		return &FormatError{File: file,
			Reason: fmt.Sprintf("tensors take %d bytes, but the data section has %d", covered, size)}
	}
	return nil
}

// checkExtent returns what is wrong with one tensor, or "".
func checkExtent(t extent, size int64) string {
	want, err := byteSize(t.dtype, t.shape)
	switch {
	case err != nil:
		return err.Error()
	case t.end < t.begin:
		return fmt.Sprintf("ends at offset %d, before its start at %d", t.end, t.begin)
	case t.end > size:
		return fmt.Sprintf("ends at offset %d, but the data section has %d bytes", t.end, size)
	case t.end-t.begin != want:
		return fmt.Sprintf("%s%v takes %d bytes, but its offsets [%d, %d] span %d",
			t.dtype, t.shape, want, t.begin, t.end, t.end-t.begin)
	}
	return ""
}
