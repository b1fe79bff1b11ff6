package host_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/devicetest"
	"github.com/frondml/frond/exec/device/host"
)

func TestConformance(t *testing.T) {
	everything := devicetest.Options{Small: testing.Short(), Requires: func(device.Operator) bool { return true }}
	for _, test := range []struct {
		name    string
		device  host.Options
		options devicetest.Options
	}{
		{"checked", host.Options{Check: true, Poison: true, SlowFetch: 3}, everything},
		{"plain", host.Options{}, devicetest.Options{Small: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() && test.name == "plain" {
				t.Skip("the same without checks")
			}
			devicetest.Run(t, func(t *testing.T) device.Device {
				d := host.New(test.device)
				t.Cleanup(func() { assert.Zero(t, d.Held()) })
				return d
			}, test.options)
		})
	}
}
