package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/train"
	"github.com/frondml/frond/train/safetensors"
	"github.com/frondml/frond/treelstm/internal/weights"
)

// printFile prints everything about a file but the elements of its tensors. What can be
// read of a damaged file is printed before the error.
func printFile(ctx context.Context, path string, r *safetensors.Reader, out io.Writer) error {
	elements, size := 0, int64(0)
	for _, name := range r.Names() {
		info, _ := r.Info(name)
		elements, size = elements+info.Len(), size+info.Size
	}
	fmt.Fprintf(out, "%s: %s, %s, %s\n", path, count(len(r.Names()), "tensor"), count(elements, "element"), count(int(size), "byte"))
	meta := r.Metadata()
	damage := printCheckpoint(path, meta, out)
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		printMetadata(out, key, meta[key])
	}
	return errors.Join(printTensors(ctx, r, out), damage)
}

// printCheckpoint says whether the file is an undamaged checkpoint, and of what.
func printCheckpoint(path string, meta map[string]string, out io.Writer) error {
	if !slices.ContainsFunc(slices.Collect(maps.Keys(meta)), func(key string) bool { return strings.HasPrefix(key, "frond.") }) {
		fmt.Fprintln(out, "not a checkpoint of this program")
		return nil
	}
	f, err := train.Open(path)
	if err != nil {
		fmt.Fprintln(out, "a checkpoint, but not a good one")
		return err
	}
	defer f.Close()
	words := "no vocabulary"
	if f.Vocabulary() != nil {
		v, err := vocabularyOf(f)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		words = "a vocabulary of " + count(v.Len(), "word")
	}
	fmt.Fprintf(out, "a checkpoint of program %q with %s; its check sum is right\n", f.Program(), words)
	return nil
}

var errNoVocabulary = errors.New("it has no vocabulary")

func vocabularyOf(f *train.File) (*data.Vocabulary, error) {
	text := f.Vocabulary()
	if text == nil {
		return nil, errNoVocabulary
	}
	var v data.Vocabulary
	if err := v.UnmarshalText(text); err != nil {
		return nil, fmt.Errorf("vocabulary: %w", err)
	}
	return &v, nil
}

// printMetadata prints an entry of the metadata. JSON, which checkpoints use, is laid
// out, within limits: a file can hold anything.
func printMetadata(out io.Writer, key, value string) {
	const most = 4000
	var text bytes.Buffer
	switch {
	case len(value) > most:
		fmt.Fprintf(out, "%s: %s... (%s)\n", escaped(key), escaped(value[:100]), count(len(value), "byte"))
	case strings.HasPrefix(value, "{") && json.Indent(&text, []byte(value), "  ", "  ") == nil:
		fmt.Fprintf(out, "%s:\n", escaped(key))
		for line := range strings.Lines(text.String()) {
			line = strings.TrimRight(line, "\n")
			if strings.Trim(line, " {}") != "" {
				fmt.Fprintln(out, escaped(strings.TrimPrefix(line, "  ")))
			}
		}
	default:
		fmt.Fprintf(out, "%s: %s\n", escaped(key), escaped(value))
	}
}

// printTensors prints a table of the tensors, in the order of their names.
func printTensors(ctx context.Context, r *safetensors.Reader, out io.Writer) error {
	if len(r.Names()) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "type\tshape\tmin\tmax\tmean\tnorm\tNaN\tInf\t  tensor")
	for _, name := range r.Names() {
		info, _ := r.Info(name)
		s, err := weights.Summarise(ctx, r, name)
		if err != nil {
			return errors.Join(w.Flush(), err)
		}
		shape := strings.ReplaceAll(strings.Trim(fmt.Sprint(info.Shape), "[]"), " ", "x")
		fmt.Fprintf(w, "%s\t%s\t%s\t  %s\n", info.DType, shape, statistics(info, s), escaped(name))
	}
	return w.Flush()
}

// statistics are the columns of a table; those that make no sense are empty.
func statistics(info safetensors.Info, s weights.Summary) string {
	if !weights.HasNumbers(info.DType) || info.Len() == 0 {
		return strings.Repeat("\t", 5)
	}
	var b strings.Builder
	for _, x := range []float64{s.Min, s.Max, s.Mean, s.Norm} {
		b.WriteString(strconv.FormatFloat(x, 'g', 4, 64) + "\t")
	}
	fmt.Fprintf(&b, "%d\t%d", s.NaN, s.Inf)
	return b.String()
}

// escaped makes text of a file safe for a terminal: control characters, which could
// move the cursor or worse, are shown as Go writes them.
func escaped(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || !unicode.IsPrint(r) && r != ' ' }) {
		return s
	}
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}
