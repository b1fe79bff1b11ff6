package main

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"time"

	"github.com/frondml/frond/exec"
)

// limits bound what clients can make the server do.
type limits struct {
	body       int64         // bytes of a request
	depth      int           // of a tree
	concurrent int           // requests that are evaluated or wait for it
	timeout    time.Duration // of an evaluation
}

var defaultLimits = limits{body: 1 << 20, depth: 10_000, concurrent: 1024, timeout: 10 * time.Second}

// server answers requests. Handlers run concurrently and simply call the bound
// function: the session executes together what arrives while it is busy.
type server struct {
	model    *model
	evaluate func(context.Context, example) (scores, error)
	limits   limits
	slots    chan struct{} // holds an element for every request in progress
	log      *slog.Logger
}

// scores is what the model gives.
type scores struct{ Logits []float32 }

func newServer(m *model, l limits, log *slog.Logger) (*server, error) {
	evaluate, err := exec.Bind[example, scores](m.session, m.graph)
	if err != nil {
		return nil, err
	}
	return &server{m, evaluate, l, make(chan struct{}, l.concurrent), log}, nil
}

// handler routes requests.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /evaluate", s.serveEvaluate)
	mux.HandleFunc("GET /stats", s.serveStats)
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	return mux
}

// request is the body of POST /evaluate.
type request struct {
	Tree string `json:"tree"` // "( ( ( [MAX 2 ) 9 ) ] )"
}

// response answers it.
type response struct {
	Value         int       `json:"value"` // the most probable digit
	Probabilities []float32 `json:"probabilities"`
}

func (s *server) serveEvaluate(w http.ResponseWriter, r *http.Request) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		w.Header().Set("Retry-After", "1")
		s.fail(w, r, errBusy)
		return
	}
	var q request
	if err := decodeJSON(http.MaxBytesReader(w, r.Body, s.limits.body), &q); err != nil {
		s.fail(w, r, err)
		return
	}
	tree, err := parseTree(q.Tree, s.limits.depth, s.model.words)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	// The context ends with the connection, too: nobody computes for clients that left.
	ctx, cancel := context.WithTimeout(r.Context(), s.limits.timeout)
	defer cancel()
	out, err := s.evaluate(ctx, s.model.example(tree))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	p := softmax(out.Logits)
	s.reply(w, r, http.StatusOK, response{argMax(p), p})
}

// serveStats tells how well requests batch.
func (s *server) serveStats(w http.ResponseWriter, r *http.Request) {
	stats := s.model.session.Stats()
	s.reply(w, r, http.StatusOK, map[string]any{
		"requests":       stats.Runs,
		"batches":        stats.FloatBatches,
		"rows_per_batch": stats.FloatRowsPerBatch(),
		"peak_bytes":     stats.PeakBytes,
	})
}

func softmax(logits []float32) []float32 {
	p := make([]float32, len(logits))
	top, sum := logits[argMax(logits)], 0.0
	for _, x := range logits {
		sum += math.Exp(float64(x - top))
	}
	for i, x := range logits {
		p[i] = float32(math.Exp(float64(x-top)) / sum)
	}
	return p
}

func argMax(xs []float32) int {
	best := 0
	for i, x := range xs {
		if x > xs[best] {
			best = i
		}
	}
	return best
}

// errBusy means that too many requests are in progress.
var errBusy = errors.New("too many requests")
