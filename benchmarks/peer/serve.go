package peer

import (
	"bufio"
	"encoding/json"
	"io"
	"time"
)

// Serve is the main loop of a peer that is written in Go: it says that it is ready
// and answers requests until there are no more. cpu returns the processor time used
// so far.
func Serve(in io.Reader, out io.Writer, ready string, cpu func() time.Duration, do func(Request) (loss float64, err error)) error {
	encoder := json.NewEncoder(out)
	if err := encoder.Encode(Reply{Ready: ready, CPU: cpu().Seconds()}); err != nil {
		return err
	}
	decoder := json.NewDecoder(bufio.NewReader(in))
	for {
		var r Request
		if err := decoder.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		loss, err := do(r)
		reply := Reply{Loss: loss, CPU: cpu().Seconds()}
		if err != nil {
			reply.Error, reply.Loss = err.Error(), 0
		}
		if err := encoder.Encode(reply); err != nil {
			return err
		}
	}
}
