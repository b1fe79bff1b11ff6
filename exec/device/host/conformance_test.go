package host_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/devicetest"
	"github.com/frondml/frond/exec/device/host"
)

func TestConformance(t *testing.T) {
	for name, o := range map[string]host.Options{
		"checked": {Check: true, Poison: true, SlowFetch: 3},
		"plain":   {},
	} {
		t.Run(name, func(t *testing.T) {
			devicetest.Run(t, func(t *testing.T) device.Device {
				d := host.New(o)
				t.Cleanup(func() { assert.Zero(t, d.Held()) })
				return d
			}, devicetest.Options{})
		})
	}
}
