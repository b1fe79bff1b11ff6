package weights

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/frondml/frond/internal/ndtext"
	"github.com/frondml/frond/train/safetensors"
)

// Summary describes the elements of a tensor. Min, Max, Mean and Norm leave NaNs out;
// they are NaN when there is nothing else.
type Summary struct {
	Min, Max, Mean float64
	Norm           float64 // the square root of the sum of squares
	NaN, Inf       int     // elements that are not numbers, and infinities of either sign
}

// HasNumbers reports whether elements of the type can be summarised.
func HasNumbers(d safetensors.DType) bool { return elements[d].number != nil }

// chunk is how many bytes are read at a time; a multiple of the size of every element.
const chunk = 1 << 18

// Summarise reads all elements of a tensor. Those of a type that has no order have the
// zero Summary.
func Summarise(ctx context.Context, r *safetensors.Reader, name string) (Summary, error) {
	section, err := r.Section(name)
	if err != nil {
		return Summary{}, err
	}
	info, _ := r.Info(name)
	number, size := elements[info.DType].number, info.DType.Size()
	if number == nil {
		return Summary{}, nil
	}
	t := tally{min: math.Inf(1), max: math.Inf(-1)}
	buf := make([]byte, min(info.Size, chunk))
	for left := info.Size; left > 0; {
		if err := ctx.Err(); err != nil {
			return Summary{}, err
		}
		part := buf[:min(left, chunk)]
		if _, err := io.ReadFull(section, part); err != nil {
			return Summary{}, fmt.Errorf("tensor %q: %w", name, err)
		}
		left -= int64(len(part))
		for ; len(part) > 0; part = part[size:] {
			t.add(number(part))
		}
	}
	return t.summary(), nil
}

// tally is a summary in the making.
type tally struct {
	min, max, sum, squares float64
	count, nan, inf        int
}

func (t *tally) add(x float64) {
	if math.IsNaN(x) {
		t.nan++
		return
	}
	if math.IsInf(x, 0) {
		t.inf++
	}
	t.min, t.max = min(t.min, x), max(t.max, x)
	t.sum += x
	t.squares += x * x
	t.count++
}

func (t *tally) summary() Summary {
	if t.count == 0 {
		nan := math.NaN()
		return Summary{nan, nan, nan, nan, t.nan, t.inf}
	}
	return Summary{t.min, t.max, t.sum / float64(t.count), math.Sqrt(t.squares), t.nan, t.inf}
}

// Text prints the elements of a tensor in nested brackets, of a large one those at the
// ends of each axis.
func Text(r *safetensors.Reader, name string) (string, error) {
	section, err := r.Section(name)
	if err != nil {
		return "", err
	}
	info, _ := r.Info(name)
	size := info.DType.Size()
	buf := make([]byte, size)
	return ndtext.Format(info.Shape, func(i int) (string, error) {
		if _, err := section.ReadAt(buf, int64(i)*int64(size)); err != nil {
			return "", fmt.Errorf("tensor %q: element %d: %w", name, i, err)
		}
		return elements[info.DType].text(buf), nil
	})
}
