package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cuda"
)

// deviceFlag says what computes: a CUDA device by its number, or this machine's
// processor, which the zero value stands for.
type deviceFlag struct {
	cuda   bool
	number int
}

const deviceUsage = "`name` of what computes: cpu, or cuda:N for CUDA device number N from 0 on; cuda is cuda:0"

func (d *deviceFlag) vars(fs *flag.FlagSet) { fs.Var(d, "device", deviceUsage) }

// String returns what Set takes.
func (d *deviceFlag) String() string {
	if !d.cuda {
		return "cpu"
	}
	return fmt.Sprintf("cuda:%d", d.number)
}

// Set takes cpu, cuda or cuda:N.
func (d *deviceFlag) Set(s string) error {
	kind, number, numbered := strings.Cut(s, ":")
	switch {
	case s == "cpu":
		*d = deviceFlag{}
		return nil
	case s == "cuda":
		*d = deviceFlag{cuda: true}
		return nil
	case kind == "cuda" && numbered:
		if n, err := strconv.ParseUint(number, 10, 16); err == nil {
			*d = deviceFlag{true, int(n)}
			return nil
		}
	}
	return errors.New("want cpu, cuda or cuda:N")
}

// libraryVariable is the environment variable with the file of the CUDA driver, for
// machines where the system's loader does not find it.
const libraryVariable = "FROND_GPU_LIBRARY"

// closingDevice is a device that is opened for one command.
type closingDevice interface {
	device.Device
	Close() error
}

// openCUDA opens a CUDA device. It is a variable for tests without one.
var openCUDA = func(number int) (closingDevice, error) {
	return cuda.Open(cuda.Options{GPU: gpu.Options{Device: number, Library: os.Getenv(libraryVariable)}})
}

// use calls f with options that say what computes, and closes the device when f has
// returned and closed its sessions.
func (d *deviceFlag) use(o exec.Options, f func(exec.Options) error) error {
	if !d.cuda {
		return f(o)
	}
	opened, err := openCUDA(d.number)
	if errors.Is(err, gpu.ErrNoDriver) {
		return fmt.Errorf("-device %v: %w\n(a CUDA device needs NVIDIA's driver; %s names its library where the system does not find it)", d, err, libraryVariable)
	}
	if err != nil {
		return fmt.Errorf("-device %v: %w", d, err)
	}
	o.Device = opened
	err = f(o)
	if closing := opened.Close(); closing != nil && err == nil {
		return fmt.Errorf("-device %v: %w", d, closing)
	}
	return err
}

// check reports what a command cannot do on the device.
func (d *deviceFlag) check(command string, o observation) error {
	if d.cuda && o.profile != "" {
		return usageError{fmt.Errorf("%s: -opprofile tells what the processor does: want -device cpu", command)}
	}
	return nil
}

// deviceName names what a session computes on.
func deviceName(s *exec.Session) string {
	if d := s.Options().Device; d != nil {
		return d.Name()
	}
	return "cpu"
}
