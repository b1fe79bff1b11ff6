package tensorboard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"
)

// ErrTag means that a tag is empty or not valid UTF-8.
var ErrTag = errors.New("bad tag")

// Scalar is a number to be drawn over the steps. TensorBoard groups tags by what stands
// before the slash, and shows numbers in single precision.
type Scalar struct {
	Tag   string // "dev/accuracy"
	Value float64
}

// Writer writes an event file.
type Writer struct {
	file  *os.File
	clock func() time.Time
}

// Create makes the directory dir, if need be, and in it a new event file. TensorBoard
// takes all event files of a directory for one run.
func Create(dir string) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("tensorboard: %w", err)
	}
	file, err := createFile(dir, time.Now())
	if err != nil {
		return nil, fmt.Errorf("tensorboard: %w", err)
	}
	w := &Writer{file, time.Now}
	if err := w.write(event(w.clock(), 0).text(eventFileVersion, fileVersion)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return w, nil
}

// createFile creates a file whose name says when and by whom it was made, as is the
// custom: TensorBoard reads the files of a directory in the order of their names.
func createFile(dir string, now time.Time) (*os.File, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	for n := 0; ; n++ {
		name := fmt.Sprintf("events.out.tfevents.%010d.%s.%d.%d", now.Unix(), filepath.Base(host), os.Getpid(), n)
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, os.ErrExist) {
			return f, err
		}
	}
}

// Name returns the name of the file.
func (w *Writer) Name() string { return w.file.Name() }

// Scalars writes numbers that belong to a step.
func (w *Writer) Scalars(step int64, scalars ...Scalar) error {
	var summary message
	for _, s := range scalars {
		if err := checkTag(s.Tag); err != nil {
			return err
		}
		summary = summary.bytes(summaryValue, scalarValue(s))
	}
	return w.write(event(w.clock(), step).bytes(eventSummary, summary))
}

// Text writes a text, which TensorBoard shows as Markdown.
func (w *Writer) Text(step int64, tag, text string) error {
	if err := checkTag(tag); err != nil {
		return err
	}
	return w.write(event(w.clock(), step).bytes(eventSummary, message{}.bytes(summaryValue, textValue(tag, text))))
}

// Restart tells that training goes on from a step: TensorBoard forgets what earlier
// files of the directory say about this step and those behind it.
func (w *Writer) Restart(step int64) error {
	return w.write(event(w.clock(), step).bytes(eventSessionLog, message{}.integer(sessionLogStatus, sessionStart)))
}

// Close closes the file.
func (w *Writer) Close() error {
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("tensorboard: %w", err)
	}
	return nil
}

func (w *Writer) write(event message) error {
	if _, err := w.file.Write(appendRecord(nil, event)); err != nil {
		return fmt.Errorf("tensorboard: %w", err)
	}
	return nil
}

func checkTag(tag string) error {
	if tag == "" || !utf8.ValidString(tag) {
		return fmt.Errorf("tensorboard: %w: %q, want a name in UTF-8", ErrTag, tag)
	}
	return nil
}
