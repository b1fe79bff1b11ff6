package browser

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// connection carries commands to the browser and their replies, JSON texts that end
// with a zero byte. Events arrive between them.
type connection struct {
	w io.Writer

	mu      sync.Mutex // guards the fields below
	next    int64
	waiting map[int64]chan reply
	ended   error // why there are no more replies
	onEvent func(method string, params json.RawMessage)
}

type command struct {
	ID      int64  `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
	Session string `json:"sessionId,omitempty"`
}

// message is a reply, which has an ID, or an event, which has a method.
type message struct {
	ID     int64           `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type reply struct {
	result json.RawMessage
	err    error
}

// connect reads replies from r in a goroutine that ends with r. onEvent is called
// there.
func connect(w io.Writer, r io.Reader, onEvent func(string, json.RawMessage)) *connection {
	c := &connection{w: w, waiting: map[int64]chan reply{}, onEvent: onEvent}
	go c.receive(bufio.NewReader(r))
	return c
}

func (c *connection) receive(r *bufio.Reader) {
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			c.end(fmt.Errorf("the browser has gone: %w", err))
			return
		}
		var m message
		if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
			c.end(err)
			return
		}
		if m.Method != "" {
			c.onEvent(m.Method, m.Params)
			continue
		}
		answer := reply{result: m.Result}
		if m.Error != nil {
			answer.err = errors.New(m.Error.Message)
		}
		c.mu.Lock()
		if w := c.waiting[m.ID]; w != nil {
			w <- answer
			delete(c.waiting, m.ID)
		}
		c.mu.Unlock()
	}
}

// end answers all who wait.
func (c *connection) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = err
	for id, w := range c.waiting {
		w <- reply{err: err}
		delete(c.waiting, id)
	}
}

// send sends a command and returns where its reply will be.
func (c *connection) send(session, method string, params any) (<-chan reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return nil, c.ended
	}
	c.next++
	text, err := json.Marshal(command{c.next, method, params, session})
	if err != nil {
		return nil, err
	}
	answer := make(chan reply, 1)
	c.waiting[c.next] = answer
	_, err = c.w.Write(append(text, 0))
	return answer, err
}
