package gpu_test

import (
	"fmt"

	"github.com/frondml/frond/gpu"
)

// Open says what is missing on a machine that cannot run kernels.
func ExampleOpen() {
	device, err := gpu.Open(gpu.Options{Library: "/no/such/driver"})
	if err != nil {
		fmt.Println("on the CPU, then")
		return
	}
	defer device.Close()
	// Output: on the CPU, then
}
