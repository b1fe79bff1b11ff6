package peer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// ErrPeer means that a peer does not do what it should.
var ErrPeer = errors.New("peer")

// What a peer can be asked to do.
const (
	Infer   = "infer"   // compute the losses of all nodes and the scores of the roots
	Train   = "train"   // a step of Adagrad; the loss is that before it
	Product = "product" // multiply matrices [Rows Depth] and [Depth Columns] Repeat times
)

// Request asks a peer to do something. Other fields than those of what is to be done
// are empty.
type Request struct {
	Do                           string
	Batch                        []int // of trees of the job
	Rows, Depth, Columns, Repeat int
}

// Reply is a peer's answer. A peer says once that it is ready, unasked.
type Reply struct {
	Error string
	Loss  float64 // the sum over all nodes of the batch
	CPU   float64 // seconds that the process has used since it began
	Ready string  // the first reply: library and version
}

// Limit is how long a peer may take for an answer before it is ended.
const Limit = time.Minute

// Process is a running peer.
type Process struct {
	name    string
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	log     tail
	ready   string
	cpu     time.Duration
	limit   time.Duration
}

// Start starts a peer and waits until it is ready. The environment is that of this
// process with what is in env added.
func Start(name string, env []string, argv ...string) (*Process, error) {
	p := &Process{name: name, command: exec.Command(argv[0], argv[1:]...), limit: Limit}
	p.command.Env = append(p.command.Environ(), env...)
	p.command.Stderr = &p.log
	in, err := p.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrPeer, name, err)
	}
	reply, err := p.receive()
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.ready = reply.Ready
	return p, nil
}

// Library returns the name and the version of what the peer uses.
func (p *Process) Library() string { return p.ready }

// CPU returns the processor time that the peer had used when it last replied.
func (p *Process) CPU() time.Duration { return p.cpu }

// Call asks the peer to do something and waits for the answer.
func (p *Process) Call(r Request) (Reply, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return Reply{}, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return Reply{}, p.fail(err)
	}
	return p.receive()
}

func (p *Process) receive() (Reply, error) {
	var r Reply
	late := time.AfterFunc(p.limit, func() { _ = p.command.Process.Kill() })
	line, err := p.out.ReadBytes('\n')
	if !late.Stop() && err != nil {
		return r, p.fail(fmt.Errorf("no answer in %v", p.limit))
	}
	if err != nil {
		return r, p.fail(err)
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, p.fail(fmt.Errorf("%q: %w", bytes.TrimSpace(line), err))
	}
	if r.Error != "" {
		return r, p.fail(errors.New(r.Error))
	}
	p.cpu = time.Duration(r.CPU * float64(time.Second))
	return r, nil
}

func (p *Process) fail(err error) error {
	return fmt.Errorf("%w: %s: %w%s", ErrPeer, p.name, err, p.log.quote())
}

// Close tells the peer to end and waits until it did.
func (p *Process) Close() error {
	_ = p.in.Close()
	if err := p.command.Wait(); err != nil {
		return p.fail(err)
	}
	return nil
}

// tail keeps the end of what is written to it, for error messages.
type tail struct {
	lock sync.Mutex
	text bytes.Buffer
}

func (t *tail) Write(p []byte) (int, error) {
	const most = 1 << 12
	t.lock.Lock()
	defer t.lock.Unlock()
	t.text.Write(p)
	if n := t.text.Len() - most; n > 0 {
		t.text.Next(n)
	}
	return len(p), nil
}

func (t *tail) quote() string {
	t.lock.Lock()
	defer t.lock.Unlock()
	text := strings.TrimSpace(t.text.String())
	if text == "" {
		return ""
	}
	return "\n" + text
}
