package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
)

var quiet = slog.New(slog.DiscardHandler)

// testServer has a model with random weights: who asks does not matter to it.
func testServer(t *testing.T, l limits, o exec.Options) (*server, []*data.Tree) {
	trees, err := expressions(200)
	require.NoError(t, err)
	o.Seed = 7
	m, err := newModel(vocabulary(trees), 32, o)
	require.NoError(t, err)
	t.Cleanup(func() { m.session.Close() })
	s, err := newServer(m, l, quiet)
	require.NoError(t, err)
	return s, trees
}

func body(t *testing.T, tree string) []byte {
	b, err := json.Marshal(request{tree})
	require.NoError(t, err)
	return b
}

// post sends a body to a handler and returns the status and what was answered.
func post(ctx context.Context, h http.Handler, body io.Reader) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "POST", "/evaluate", body))
	return w.Code, w.Body.String()
}

// Many clients at once get, bit for bit, what each tree gives alone, and their
// trees share batches. The trees are chains, whose nodes can share batches with those
// of other trees only, and long enough for requests to meet.
func TestConcurrentRequestsBatch(t *testing.T) {
	const clients, length = 32, 200
	trees := make([]string, clients)
	for i := range trees {
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		trees[i] = strings.Repeat("( ", length) + "[MAX"
		for range length {
			trees[i] += fmt.Sprintf(" %d )", rng.IntN(10))
		}
	}
	options := exec.Options{Workers: 1, NoSharing: true}
	alone, _ := testServer(t, defaultLimits, options)
	want := make([]string, clients)
	for i, tree := range trees {
		var status int
		status, want[i] = post(t.Context(), alone.handler(), bytes.NewReader(body(t, tree)))
		require.Equal(t, http.StatusOK, status, want[i])
	}

	together, _ := testServer(t, defaultLimits, options)
	web := httptest.NewServer(together.handler())
	defer web.Close()
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			for k := range 10 {
				i := (client + k) % len(trees)
				status, answer, err := send(web.URL+"/evaluate", body(t, trees[i]))
				assert.NoError(t, err)
				assert.Equal(t, http.StatusOK, status)
				assert.Equal(t, want[i], answer)
			}
		})
	}
	wg.Wait()
	one, many := alone.model.session.Stats(), together.model.session.Stats()
	t.Logf("rows per batch: %.2f alone, %.2f together", one.FloatRowsPerBatch(), many.FloatRowsPerBatch())
	assert.EqualValues(t, 10*clients, many.Runs)
	assert.Greater(t, many.FloatRowsPerBatch(), 2*one.FloatRowsPerBatch())
}

// send posts a body to a server.
func send(url string, body []byte) (status int, answer string, err error) {
	resp, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

func TestFailures(t *testing.T) {
	small := limits{body: 300, depth: 5, concurrent: 2, timeout: time.Minute}
	s, _ := testServer(t, small, exec.Options{})
	for _, c := range []struct {
		name, body string
		status     int
		code, says string
	}{
		{"not JSON", `(`, 400, "bad_request", "invalid character"},
		{"no body", ``, 400, "bad_request", "EOF"},
		{"wrong type", `{"tree": 3}`, 400, "bad_request", "number"},
		{"unknown field", `{"trees": "( 1 2 )"}`, 400, "bad_request", `unknown field "trees"`},
		{"two values", `{"tree": "( 1 2 )"} {}`, 400, "bad_request", "more than one"},
		{"no tree", `{"tree": ""}`, 400, "bad_request", "no tree"},
		{"two trees", `{"tree": "( 1 2 ) ( 1 2 )"}`, 400, "bad_request", "after the tree"},
		{"open bracket", `{"tree": "( 1 ( 2 3 )"}`, 400, "syntax", "tree:1:1"},
		{"three children", `{"tree": "( 1 2 3 )"}`, 400, "syntax", "tree:1:"},
		{"unknown word", `{"tree": "( 1 eleven )"}`, 422, "unknown_word", `"eleven"`},
		{"too deep", `{"tree": "( ( ( ( ( ( 1 2 ) 3 ) 4 ) 5 ) 6 ) 7 )"}`, 422, "too_deep", "5"},
		{"too large", `{"tree": "` + strings.Repeat(" ", 400) + `"}`, 413, "too_large", "too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, answer := post(t.Context(), s.handler(), strings.NewReader(c.body))
			assert.Equal(t, c.status, status, answer)
			var f failure
			require.NoError(t, json.Unmarshal([]byte(answer), &f), answer)
			assert.Equal(t, c.code, f.Error.Code)
			assert.Contains(t, f.Error.Message, c.says)
		})
	}
}

func TestRequestsEndWithTheirContext(t *testing.T) {
	s, trees := testServer(t, defaultLimits, exec.Options{})
	text := body(t, string(trees[0].AppendUnlabelled(nil)))
	left, cancel := context.WithCancel(t.Context())
	cancel()
	status, answer := post(left, s.handler(), bytes.NewReader(text))
	assert.Equal(t, statusClientClosed, status, answer)

	s.limits.timeout = time.Nanosecond
	status, answer = post(t.Context(), s.handler(), bytes.NewReader(text))
	assert.Equal(t, http.StatusGatewayTimeout, status, answer)

	s.limits.timeout = time.Minute
	status, answer = post(t.Context(), s.handler(), bytes.NewReader(text))
	assert.Equal(t, http.StatusOK, status, answer)
}

func TestMemoryIsLimited(t *testing.T) {
	s, trees := testServer(t, defaultLimits, exec.Options{Workers: 1, Memory: 1 << 20})
	const leaves = 20_000
	large := strings.Repeat("( ", leaves) + "1" + strings.Repeat(" 2 )", leaves)
	s.limits.depth = leaves
	status, answer := post(t.Context(), s.handler(), bytes.NewReader(body(t, large)))
	assert.Equal(t, http.StatusRequestEntityTooLarge, status, answer)
	status, answer = post(t.Context(), s.handler(), bytes.NewReader(body(t, string(trees[0].AppendUnlabelled(nil)))))
	assert.Equal(t, http.StatusOK, status, answer)
}

// A request that is half sent when the server is told to stop is answered; another
// one is refused.
func TestGracefulShutdown(t *testing.T) {
	s, trees := testServer(t, defaultLimits, exec.Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	begun := make(chan struct{})
	served := make(chan error, 1)
	go func() {
		served <- serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			close(begun)
			s.handler().ServeHTTP(w, r)
		}))
	}()

	text := body(t, string(trees[0].AppendUnlabelled(nil)))
	reader, writer := io.Pipe()
	answered := make(chan int, 1)
	url := "http://" + l.Addr().String() + "/evaluate"
	go func() {
		defer close(answered)
		resp, err := http.Post(url, "application/json", reader)
		if assert.NoError(t, err) {
			resp.Body.Close()
			answered <- resp.StatusCode
		}
	}()
	_, err = writer.Write(text[:5])
	require.NoError(t, err)
	<-begun
	stop()
	require.Eventually(t, func() bool { return refused(l.Addr().String()) }, 5*time.Second, time.Millisecond)
	_, err = writer.Write(text[5:])
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	assert.Equal(t, http.StatusOK, <-answered)
	assert.NoError(t, <-served)

	require.NoError(t, s.model.session.Close())
	status, answer := post(t.Context(), s.handler(), bytes.NewReader(text))
	assert.Equal(t, http.StatusServiceUnavailable, status, answer)
}

// refused reports whether nobody accepts connections at an address.
func refused(addr string) bool {
	c, err := net.Dial("tcp", addr)
	if err == nil {
		c.Close()
	}
	return err != nil
}

func TestBusy(t *testing.T) {
	s, _ := testServer(t, limits{body: 1000, depth: 9, concurrent: 1, timeout: time.Minute}, exec.Options{})
	s.slots <- struct{}{}
	status, answer := post(t.Context(), s.handler(), strings.NewReader(`{"tree": "( 1 2 )"}`))
	assert.Equal(t, http.StatusServiceUnavailable, status, answer)
	<-s.slots
	status, answer = post(t.Context(), s.handler(), strings.NewReader(`{"tree": "( 1 2 )"}`))
	assert.Equal(t, http.StatusOK, status, answer)
	assert.Empty(t, s.slots)
}

// What was trained and saved answers as before when it is loaded again.
func TestModelFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	var values [2][]float32
	for i := range values {
		m, err := open(t.Context(), path, 8, exec.Options{Seed: uint64(i)}, quiet)
		require.NoError(t, err)
		values[i] = m.session.Parameters().Value(m.session.Program().Variables[0])
		require.NoError(t, m.session.Close())
	}
	assert.Equal(t, values[0], values[1])
}

func TestStats(t *testing.T) {
	s, _ := testServer(t, defaultLimits, exec.Options{})
	post(t.Context(), s.handler(), strings.NewReader(`{"tree": "( 1 2 )"}`))
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, httptest.NewRequest("GET", "/stats", nil))
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Contains(t, w.Body.String(), `"requests":1`)
}
