package console

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeTerminal records the writes to a terminal of a width that can change.
type fakeTerminal struct {
	writes  []string
	columns int
}

func (f *fakeTerminal) Write(p []byte) (int, error) {
	f.writes = append(f.writes, string(p))
	return len(p), nil
}

func (f *fakeTerminal) terminal() terminal {
	return terminal{w: f, redraws: true, columns: func() int { return f.columns }}
}

// fakeClock tells the time it is set to.
type fakeClock struct{ elapsed time.Duration }

func (c *fakeClock) now() time.Time { return time.Unix(1_000_000, 0).Add(c.elapsed) }

func TestTerminalRedraws(t *testing.T) {
	screen, clock := &fakeTerminal{columns: 120}, &fakeClock{}
	p := start(screen.terminal(), clock.now, 200, "train")
	p.Add(10, "too soon")
	assert.Empty(t, screen.writes)
	clock.elapsed = 2 * time.Second
	p.Add(40, "loss 0.5")
	p.Add(1, "too soon again")
	clock.elapsed = 4 * time.Second
	p.Add(49, "")
	clock.elapsed = 8 * time.Second
	p.Add(100, "loss 0.25")
	p.Done()
	assert.Equal(t, []string{
		"\rtrain  50/200 (25%)  25.0/s  ETA 6.0s  loss 0.5\x1b[K",
		"\rtrain  100/200 (50%)  25.0/s  ETA 4.0s\x1b[K",
		"\rtrain  200/200 (100%)  25.0/s  ETA 0.0s  loss 0.25\x1b[K",
		"\rtrain  200/200 (100%)  25.0/s  in 8.0s  loss 0.25\x1b[K\n",
	}, screen.writes)
}

func TestTerminalWidth(t *testing.T) {
	full := "train  50/200 (25%)  25.0/s  ETA 6.0s  naïve"
	for _, c := range []struct {
		columns int
		want    string
	}{
		{1000, full},
		{utf8.RuneCountInString(full) + 1, full},
		{utf8.RuneCountInString(full), "train  50/200 (25%)  25.0/s  ETA 6.0s  naï…"},
		{11, "train  50…"},
		{2, "…"},
		{1, ""},
		{0, full}, // unknown: 80
		{-1, full},
	} {
		screen, clock := &fakeTerminal{columns: c.columns}, &fakeClock{}
		p := start(screen.terminal(), clock.now, 200, "train")
		clock.elapsed = 2 * time.Second
		p.Add(50, "naïve")
		require.Len(t, screen.writes, 1)
		assert.Equal(t, "\r"+c.want+"\x1b[K", screen.writes[0], "%d columns", c.columns)
	}
	screen := &fakeTerminal{}
	screen.terminal().draw(strings.Repeat("x", 200))
	assert.Equal(t, "\r"+strings.Repeat("x", 78)+"…\x1b[K", screen.writes[0], "unknown width")
}

func TestPlainLines(t *testing.T) {
	screen, clock := &fakeTerminal{}, &fakeClock{}
	p := start(detect(screen), clock.now, 1000, "eval")
	for second := range 13 {
		clock.elapsed = time.Duration(second) * time.Second
		p.Add(10, "")
	}
	p.Done()
	assert.Equal(t, []string{
		"eval  60/1000 (6%)  12.0/s  ETA 1m18s\n",
		"eval  110/1000 (11%)  11.0/s  ETA 1m21s\n",
		"eval  130/1000 (13%)  10.8/s  in 12s\n",
	}, screen.writes)
}

func TestFileIsNoTerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(path)
	require.NoError(t, err)
	p := New(f, 1, "a\x1b[2Jb\r")
	p.Add(1, "two\nlines \xff")
	p.Done()
	require.NoError(t, f.Close())
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Regexp(t, `^a \[2Jb   1/1 \(100%\)  in 0\.0s  two lines �\n$`, string(got))
}

func TestAfterDone(t *testing.T) {
	screen, clock := &fakeTerminal{columns: 80}, &fakeClock{}
	p := start(screen.terminal(), clock.now, 2, "x")
	p.Done()
	p.Done()
	clock.elapsed = time.Minute
	p.Add(1, "late")
	p.Done()
	assert.Equal(t, []string{"\rx  0/2 (0%)  in 0.0s\x1b[K\n"}, screen.writes)
}

func TestConcurrentAdds(t *testing.T) {
	screen := &fakeTerminal{}
	p := New(screen, 4000, "x")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 1000 {
				p.Add(1, "")
			}
		})
	}
	wg.Wait()
	p.Done()
	require.NotEmpty(t, screen.writes)
	assert.Contains(t, screen.writes[len(screen.writes)-1], "4000/4000 (100%)")
}

type brokenPipe struct{ io.Writer }

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriterFails(t *testing.T) {
	clock := &fakeClock{}
	p := start(detect(brokenPipe{}), clock.now, 1, "x")
	clock.elapsed = time.Minute
	p.Add(1, "")
	p.Done()
	assert.Equal(t, 1, p.state.count)
}
