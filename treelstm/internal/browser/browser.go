package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// patience is how long a reply may take on a busy machine.
const patience = 60 * time.Second

// find returns the path of a browser, "" when there is none.
func find() string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// start runs a browser, which ends with the test, and returns its connection.
func start(t testing.TB, onEvent func(string, json.RawMessage)) *connection {
	t.Helper()
	path := find()
	if path == "" {
		t.Skip("no browser: install the package chromium, or name a binary by $CHROMIUM")
	}
	theirs, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBrowser, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// No sandbox: pages are the test's own, and containers often forbid it. No shared
	// memory files: containers have little room for them.
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--hide-scrollbars", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe")
	cmd.ExtraFiles = []*os.File{theirs, answers}                    // file descriptors 3 and 4
	err = errors.Join(cmd.Start(), theirs.Close(), answers.Close()) // from now on a dead browser is an end of file
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	c := connect(toBrowser, fromBrowser, onEvent)
	t.Cleanup(func() {
		stop(c, cmd)
		_, _ = toBrowser.Close(), fromBrowser.Close()
	})
	return c
}

// stop asks the browser to end, and kills it when it does not.
func stop(c *connection, cmd *exec.Cmd) {
	_, _ = c.send("", "Browser.close", nil)
	timer := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait()
}

// call sends a command, waits for its reply and decodes it into result unless that is
// nil.
func (c *connection) call(session, method string, params, result any) error {
	answer, err := c.send(session, method, params)
	if err == nil {
		select {
		case r := <-answer:
			err = r.err
			if err == nil && result != nil {
				err = json.Unmarshal(r.result, result)
			}
		case <-time.After(patience):
			err = errors.New("no reply")
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}
