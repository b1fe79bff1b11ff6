package console

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// openTerminal returns both ends of a pseudo-terminal: what is written to tty comes
// out of screen.
func openTerminal(t *testing.T, columns uint16) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	fd := int(screen.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}))
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = tty.Close() })
	return screen, tty
}

// show returns what a terminal of 20 columns is sent for one line.
func show(t *testing.T) string {
	t.Helper()
	screen, tty := openTerminal(t, 20)
	clock := &fakeClock{}
	p := start(detect(tty), clock.now, 200, "train")
	clock.elapsed = time.Minute
	p.Add(50, "a note")
	buf := make([]byte, 1000)
	n, err := screen.Read(buf)
	require.NoError(t, err)
	return string(buf[:n])
}

func TestRealTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	assert.Equal(t, "\rtrain  50/200 (25%…\x1b[K", show(t))
}

func TestDumbTerminal(t *testing.T) {
	t.Setenv("TERM", "dumb")
	assert.Equal(t, "train  50/200 (25%)  1.2s each  ETA 3m0s  a note\r\n", show(t))
}
