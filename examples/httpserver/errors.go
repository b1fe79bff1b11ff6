package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
)

// statusClientClosed is what nginx logs for clients that did not wait.
const statusClientClosed = 499

// failure is the body of every answer that is not a success.
type failure struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// kinds maps errors to answers; the first that matches decides.
var kinds = []struct {
	err    error
	status int
	code   string
}{
	{data.ErrLimit, http.StatusUnprocessableEntity, "too_deep"},
	{data.ErrSyntax, http.StatusBadRequest, "syntax"},
	{errRequest, http.StatusBadRequest, "bad_request"},
	{errWord, http.StatusUnprocessableEntity, "unknown_word"},
	{errBusy, http.StatusServiceUnavailable, "busy"},
	{context.DeadlineExceeded, http.StatusGatewayTimeout, "timeout"},
	{context.Canceled, statusClientClosed, "canceled"},
	{exec.ErrMemory, http.StatusRequestEntityTooLarge, "too_large"},
	{exec.ErrDepth, http.StatusUnprocessableEntity, "too_deep"},
	{exec.ErrClosed, http.StatusServiceUnavailable, "shutting_down"},
}

// classify chooses the status and the code of an answer.
func classify(err error) (status int, code string) {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return http.StatusRequestEntityTooLarge, "too_large"
	}
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			return k.status, k.code
		}
	}
	return http.StatusInternalServerError, "internal"
}

// fail answers with an error. What is not the client's doing is logged, not told.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var f failure
	status, code := classify(err)
	f.Error.Code, f.Error.Message = code, err.Error()
	if status == http.StatusInternalServerError {
		s.log.Error("request failed", "path", r.URL.Path, "error", err)
		f.Error.Message = "internal error"
	}
	s.reply(w, r, status, f)
}

// reply sends a JSON value.
func (s *server) reply(w http.ResponseWriter, r *http.Request, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		s.log.Debug("client left", "path", r.URL.Path, "error", err)
	}
}
