// Httpserver serves a model over HTTP. Requests that arrive while others are being
// executed join them: their trees share the batches of every matrix product, with
// no queue and no timer, and each gets the same bits as it would alone.
//
//	go run ./httpserver &
//	curl -d '{"tree": "( ( ( [MAX 2 ) 9 ) ] )"}' localhost:8080/evaluate
//	curl localhost:8080/stats
//
// The first start trains a small model of ListOps and keeps it in a file.
package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/frondml/frond/exec"
)

// grace is how long requests in progress may take when the server is to stop.
const grace = 10 * time.Second

func main() {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	addr := flag.String("addr", "localhost:8080", "`address` to listen on")
	path := flag.String("model", "listops.safetensors", "`file` of the model, made if it is not there")
	memory := flag.Int64("memory", 1<<30, "`bytes` for the execution of all requests")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, *path, *memory, log); err != nil {
		log.Error("stopped", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, addr, path string, memory int64, log *slog.Logger) error {
	m, err := open(ctx, path, 64, exec.Options{Seed: 1, Memory: memory}, log)
	if err != nil {
		return err
	}
	s, err := newServer(m, defaultLimits, log)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return errors.Join(err, m.session.Close())
	}
	log.Info("listening", "address", l.Addr().String())
	return errors.Join(serve(ctx, l, s.handler()), m.session.Close())
}

// serve answers requests until ctx is done. It then accepts no more and returns when
// those in progress have been answered, or after the time of grace.
func serve(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	limited, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := srv.Shutdown(limited); err != nil {
		return errors.Join(err, srv.Close())
	}
	return nil
}
