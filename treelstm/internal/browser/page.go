package browser

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Page is a page in a tab of its own.
type Page struct {
	t       testing.TB
	c       *connection
	session string

	mu       sync.Mutex // guards the fields below
	errors   []string
	requests []string
}

// Open loads a file in a window of width x height CSS pixels and returns when it has
// been loaded. It skips the test where there is no browser.
func Open(t testing.TB, file string, width, height int) *Page {
	t.Helper()
	p := &Page{t: t}
	p.c = start(t, p.event)
	var target struct{ TargetID string }
	p.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	p.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		p.call(domain+".enable", nil, nil)
	}
	p.Resize(width, height)
	p.Load(file)
	return p
}

// Load loads another file. Errors and requests are collected anew.
func (p *Page) Load(file string) {
	p.t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	p.errors, p.requests = nil, nil
	p.mu.Unlock()
	var loaded struct{ ErrorText string }
	p.call("Page.navigate", map[string]any{"url": (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()}, &loaded)
	if loaded.ErrorText != "" {
		p.t.Fatalf("%s: %s", file, loaded.ErrorText)
	}
	p.Wait(`document.readyState === "complete"`)
}

// Resize sets the size of the window.
func (p *Page) Resize(width, height int) {
	p.t.Helper()
	p.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// Eval evaluates a JavaScript expression and stores its value in what result points
// to, unless that is nil. An exception ends the test.
func (p *Page) Eval(expression string, result any) {
	p.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *exception
	}
	p.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &answer)
	if answer.ExceptionDetails != nil {
		p.t.Fatalf("%s: %v", expression, answer.ExceptionDetails)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(answer.Result.Value, result); err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
}

// Wait waits until a JavaScript expression is true.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		var done bool
		if p.Eval("Boolean("+expression+")", &done); done {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("still not true: %s", expression)
		}
	}
}

// Press presses and releases a key by its name, such as ArrowDown or Enter.
func (p *Page) Press(key string) {
	p.t.Helper()
	text := map[string]string{"Enter": "\r", " ": " "}[key]
	code := map[string]int{"Enter": 13, "Tab": 9, " ": 32}[key]
	for _, kind := range []string{"keyDown", "keyUp"} {
		p.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code}, nil)
	}
}

// Point moves the mouse to the middle of the first element that a CSS selector finds.
func (p *Page) Point(selector string) {
	p.t.Helper()
	p.mouse("mouseMoved", selector)
}

// Click clicks on the middle of the first element that a CSS selector finds.
func (p *Page) Click(selector string) {
	p.t.Helper()
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		p.mouse(kind, selector)
	}
}

func (p *Page) mouse(kind, selector string) {
	p.t.Helper()
	quoted, _ := json.Marshal(selector) // a string always has a form in JSON
	var at struct{ X, Y float64 }
	p.Eval(`(() => {
		const e = document.querySelector(`+string(quoted)+`);
		e.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
		const r = e.getBoundingClientRect();
		return {x: r.x + r.width / 2, y: r.y + r.height / 2};
	})()`, &at)
	p.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
}

// Screenshot writes what the window shows to a file, as PNG.
func (p *Page) Screenshot(file string) {
	p.t.Helper()
	var shot struct{ Data []byte }
	p.call("Page.captureScreenshot", nil, &shot)
	if err := os.WriteFile(file, shot.Data, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// Keep takes a screenshot for people to look at: NAME.png in the directory that
// $FROND_SCREENSHOTS names. Without it nothing is kept.
func (p *Page) Keep(name string) {
	p.t.Helper()
	if dir := os.Getenv("FROND_SCREENSHOTS"); dir != "" {
		p.Screenshot(filepath.Join(dir, name+".png"))
	}
}

// Errors returns the exceptions that nothing caught, the errors on the console and
// what the browser itself complained about.
func (p *Page) Errors() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.errors)
}

// Requests returns the addresses of everything that the page loaded, itself included.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

func (p *Page) call(method string, params, result any) {
	p.t.Helper()
	if err := p.c.call(p.session, method, params, result); err != nil {
		p.t.Fatal(err)
	}
}

// exception is an error of JavaScript.
type exception struct {
	Text      string
	Exception struct{ Description string }
}

func (e *exception) String() string { return strings.TrimSpace(e.Text + " " + e.Exception.Description) }

// event notes what Errors and Requests tell.
func (p *Page) event(method string, params json.RawMessage) {
	var e struct {
		ExceptionDetails exception
		Type             string
		Args             []struct{ Value any }
		Entry            struct{ Level, Text, URL string }
		Request          struct{ URL string }
	}
	if err := json.Unmarshal(params, &e); err != nil {
		return // an event of another kind
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case method == "Runtime.exceptionThrown":
		p.errors = append(p.errors, e.ExceptionDetails.String())
	case method == "Runtime.consoleAPICalled" && e.Type == "error":
		for _, a := range e.Args {
			text, _ := json.Marshal(a.Value) // it came from JSON
			p.errors = append(p.errors, string(text))
		}
	case method == "Log.entryAdded" && e.Entry.Level == "error":
		p.errors = append(p.errors, strings.TrimSpace(e.Entry.Text+" "+e.Entry.URL))
	case method == "Network.requestWillBeSent":
		p.requests = append(p.requests, e.Request.URL)
	}
}
