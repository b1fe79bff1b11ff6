package emulator_test

import (
	"os"
	"testing"

	"github.com/frondml/frond/gpu/driver"
	"github.com/frondml/frond/gpu/internal/emulator"
)

// Whatever the text, loading it ends with a module or an error.
func FuzzLoadModule(f *testing.F) {
	for _, file := range []string{features, "testdata/mistakes.ptx"} {
		ptx, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(ptx))
	}
	f.Add(".version 7.8\n.target sm_80\n.address_size 64\n.entry k(.param .align 4 .b8 x[8]) { .reg .b32 %r<2>; L: @%r1 bra L; }")
	e := emulator.Open(f, "")
	d, err := driver.Open(e.Library)
	if err != nil {
		f.Fatal(err)
	}
	context, err := d.NewCaller().RetainPrimaryContext(0)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, ptx string) {
		c := d.NewCaller()
		defer c.Leave()
		if err := c.Enter(context); err != nil {
			t.Fatal(err)
		}
		m, err := c.LoadModule(ptx)
		if err != nil {
			return
		}
		if err := c.UnloadModule(m); err != nil {
			t.Fatal(err)
		}
	})
}
