//go:build mumax && linux

package mumax_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu/driver"
	"github.com/frondml/frond/gpu/mumax"
)

// nothingPTX has a kernel that does nothing with eight parameters.
const nothingPTX = `
.version 7.8
.target sm_80
.address_size 64
.visible .entry nothing(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d,
	.param .u64 e, .param .u64 f, .param .u64 g, .param .u64 h)
{
	ret;
}
`

// BenchmarkCalls compares the bindings. The emulated driver's own part is the same in
// both: some tens of nanoseconds in a query, a copied and queued record in the others.
func BenchmarkCalls(b *testing.B) {
	for name, binding := range map[string]driver.Binding{"own": nil, "mumax": mumax.Binding{}} {
		b.Run(name+"/query event", func(b *testing.B) {
			c, _ := enter(b, binding, "scheduler=threads")
			e, err := c.NewEvent()
			require.NoError(b, err)
			repeat(b, func() error { _, err := c.EventDone(e); return err })
		})
		b.Run(name+"/memory info", func(b *testing.B) {
			c, _ := enter(b, binding, "scheduler=threads")
			repeat(b, func() error { _, _, err := c.MemoryInfo(); return err })
		})
		b.Run(name+"/launch", func(b *testing.B) {
			c, _ := enter(b, binding, "scheduler=threads")
			s, err := c.NewStream()
			require.NoError(b, err)
			m, err := c.LoadModule(nothingPTX)
			require.NoError(b, err)
			f, err := c.Function(m, "nothing")
			require.NoError(b, err)
			p := driver.NewParameters()
			defer p.Close()
			one := driver.Dim3{X: 1, Y: 1, Z: 1}
			repeat(b, func() error {
				p.Reset()
				for range 8 {
					_ = p.Word(0)
				}
				return c.Launch(f, one, one, 0, s, p)
			})
			require.NoError(b, c.SynchronizeStream(s))
		})
	}
}

func repeat(b *testing.B, call func() error) {
	b.ReportAllocs()
	for b.Loop() {
		if err := call(); err != nil {
			b.Fatal(err)
		}
	}
}
