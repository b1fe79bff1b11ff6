package cuda

import (
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
)

// Record implements device.Stream.
func (s *Stream) Record() (device.Event, error) {
	e, err := s.stream.Record()
	if err != nil {
		return nil, translated(err)
	}
	return e, nil
}

// Wait implements device.Stream.
func (s *Stream) Wait(e device.Event) error {
	own, ok := e.(*gpu.Event)
	if !ok || own == nil {
		return foreign("event", e)
	}
	return translated(s.stream.Wait(own))
}
