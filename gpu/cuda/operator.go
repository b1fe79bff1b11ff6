package cuda

import (
	"fmt"

	"github.com/frondml/frond/exec/device"
)

// compile returns the kernel of an operator.
func (d *Device) compile(o device.Operator) (device.Kernel, error) {
	return nil, fmt.Errorf("%w: %s of %v", device.ErrNoKernel, o.Op.Name(), o.In)
}
