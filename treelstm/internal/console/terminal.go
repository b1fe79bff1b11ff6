package console

import (
	"io"
	"os"
	"unicode/utf8"

	"golang.org/x/term"
)

const (
	// carriageReturn and eraseToEnd redraw a line without the flicker of erasing it
	// first.
	carriageReturn = "\r"
	eraseToEnd     = "\x1b[K"
	// defaultWidth is assumed for a terminal that does not tell its width.
	defaultWidth = 80
)

// terminal is where lines go.
type terminal struct {
	w       io.Writer
	redraws bool       // lines can be redrawn in place
	columns func() int // the width now, 0 when unknown; used only if redraws
}

// detect returns w as a terminal, one that redraws if w is the file of one.
func detect(w io.Writer) terminal {
	f, ok := w.(interface{ Fd() uintptr })
	if !ok || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return terminal{w: w}
	}
	return terminal{w: w, redraws: true, columns: func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return 0
		}
		return width
	}}
}

// draw shows line as the current one.
func (t terminal) draw(line string) { t.write(t.render(line)) }

// finish shows line for good and goes to the next.
func (t terminal) finish(line string) {
	s := t.render(line)
	if t.redraws {
		s += "\n"
	}
	t.write(s)
}

func (t terminal) render(line string) string {
	if t.redraws {
		return carriageReturn + t.fit(line) + eraseToEnd
	}
	return line + "\n"
}

// write hands over one string in one call, so that lines of other writers do not
// get into the middle.
func (t terminal) write(s string) {
	_, _ = io.WriteString(t.w, s) // see the package documentation
}

// fit cuts line to the window. The last column stays free: a character there makes
// some terminals wrap, and a wrapped line cannot be redrawn. A character is taken
// for one column wide.
func (t terminal) fit(line string) string {
	width := t.columns()
	if width <= 0 {
		width = defaultWidth
	}
	return truncate(line, width-1)
}

// truncate returns at most n characters of s, the last of them an ellipsis if some
// are missing.
func truncate(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	if n <= 0 {
		return ""
	}
	return string([]rune(s)[:n-1]) + "…"
}
