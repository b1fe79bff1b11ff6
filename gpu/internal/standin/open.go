//go:build linux && (amd64 || arm64)

package standin

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ebitengine/purego"
)

//go:embed src/cublas.c
var source []byte

// flags of the compiler. A product and a sum are fused only where the source says so.
var flags = []string{"-O1", "-ffp-contract=off", "-Wall", "-Werror", "-fPIC", "-shared", "-fvisibility=hidden"}

// CuBLAS is a loaded stand-in.
type CuBLAS struct {
	// Library is the path by which package cublas opens it.
	Library string

	handles, products func() int32
	refuse            func(which, status int32)
}

// Open builds and loads a stand-in that works on the memory of a driver, given by the
// path of its library. It skips the test where there is no compiler.
func Open(t testing.TB, driver string) *CuBLAS {
	t.Helper()
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc is not installed, so the stand-in for cuBLAS cannot be built")
	}
	dir := t.TempDir()
	text := filepath.Join(dir, "cublas.c")
	c := &CuBLAS{Library: filepath.Join(dir, "libcublas.so.13")}
	if err := os.WriteFile(text, source, 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := append(flags[:len(flags):len(flags)], "-o", c.Library, text, "-ldl", "-lm")
	if output, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("building the stand-in for cuBLAS: %v\n%s", err, output)
	}
	handle, err := purego.Dlopen(c.Library, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	var use func(path string) int32
	purego.RegisterLibFunc(&use, handle, "stand_in_driver")
	purego.RegisterLibFunc(&c.handles, handle, "stand_in_handles")
	purego.RegisterLibFunc(&c.products, handle, "stand_in_products")
	purego.RegisterLibFunc(&c.refuse, handle, "stand_in_refuse")
	if use(driver) == 0 {
		t.Fatalf("the stand-in for cuBLAS cannot use %s", driver)
	}
	return c
}

// Handles returns how many handles there are.
func (c *CuBLAS) Handles() int { return int(c.handles()) }

// Products returns how many products were asked for and not refused.
func (c *CuBLAS) Products() int { return int(c.products()) }

// What can be refused.
const (
	Creation  = iota // of a handle
	Stream           // of a handle, to be set
	Workspace        // of a handle, to be set
	Product
)

// Refuse lets the next call of a kind fail with a status.
func (c *CuBLAS) Refuse(kind, status int) { c.refuse(int32(kind), int32(status)) }
