package exec

import (
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"runtime"

	"github.com/frondml/frond/exec/device"
)

// Batching says how many frames of a stage are executed together.
type Batching int

const (
	// BatchAll takes all ready frames of a stage; it is the default.
	BatchAll Batching = 0
	// BatchOff takes one frame at a time: the execution model of Jeong et al. 2018.
	BatchOff Batching = 1
)

// Options configure a session. The zero value is good for most uses.
type Options struct {
	// Workers is the number of goroutines that execute a run with several
	// inputs; 0 stands for GOMAXPROCS.
	Workers int
	// Batching is BatchAll, BatchOff, or the largest number of frames that are
	// executed together.
	Batching Batching
	// Device computes the floats; nil stands for this machine's processor, which
	// executes everything. Package gpu/cuda has others. The session does not close it.
	// Profile is not for devices.
	Device device.Device
	// Memory limits the bytes that the engines hold for frames, rows, lists, the
	// tape and temporaries, every worker's engine an equal share; 0 means no limit. A limited session prefers finishing
	// invocations to starting them.
	Memory int64
	// MaxDepth limits the calls on one path, tail calls included; selecting a
	// branch is no call. 0 stands for 1<<20.
	MaxDepth int
	// Deterministic makes gradients equal, bit for bit, for any number of workers.
	Deterministic bool
	// NoSharing computes equal rows again instead of sharing them.
	NoSharing bool
	// CheckFinite reports the first operator that makes a NaN or an infinity.
	CheckFinite bool
	// Reference executes with the reference interpreter instead: sequential,
	// naive, slow, one input after the other. Float64 makes it compute in double
	// precision. Of the other options only MaxDepth concerns it.
	Reference bool
	Float64   bool
	// Seed makes the initial values of variables.
	Seed uint64
	// Parameters shares the variables of another session of the same program.
	Parameters *Parameters
	// Analyse counts longest chains, work and span, and measures time; it slows
	// execution down.
	Analyse bool
	// Trace receives every batch in the Trace Event Format, which Perfetto and
	// chrome://tracing show; Session.Close completes it. nil for none.
	Trace io.Writer
	// Profile collects what every instruction costs; nil for nothing, at no cost.
	Profile *Profile
	// Logger receives notable events: failed inputs, and at debug level what each
	// run did; nil for none.
	Logger *slog.Logger
}

// defaultDepth allows chains of a million calls.
const defaultDepth = 1 << 20

func (o Options) withDefaults() (Options, error) {
	for name, n := range map[string]int64{"Workers": int64(o.Workers), "Batching": int64(o.Batching), "Memory": o.Memory, "MaxDepth": int64(o.MaxDepth)} {
		if n < 0 {
			return o, fmt.Errorf("%w: Options.%s is %d, want 0 or more", ErrInput, name, n)
		}
	}
	if v := reflect.ValueOf(o.Device); v.Kind() == reflect.Pointer && v.IsNil() {
		return o, fmt.Errorf("%w: Options.Device is a %T that is nil", ErrDevice, o.Device)
	}
	if o.Device != nil && (o.Reference || o.Profile != nil) {
		return o, fmt.Errorf("%w: Options.Reference and Options.Profile are for the processor", ErrDevice)
	}
	if o.Float64 && !o.Reference {
		return o, fmt.Errorf("%w: Options.Float64 needs Options.Reference", ErrInput)
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = defaultDepth
	}
	return o, nil
}

// timed reports whether the session looks at the clock.
func (o *Options) timed() bool { return o.Analyse || o.Trace != nil || o.Profile != nil }

// memoryPerWorker is the limit of one engine, 0 for none.
func (o *Options) memoryPerWorker() int64 {
	if o.Memory == 0 {
		return 0
	}
	return max(1, o.Memory/int64(o.Workers))
}

// String prints the options that matter for results and speed.
func (o Options) String() string {
	return fmt.Sprintf("workers=%d batching=%d memory=%d depth=%d deterministic=%t finite=%t reference=%t float64=%t seed=%d",
		o.Workers, o.Batching, o.Memory, o.MaxDepth, o.Deterministic, o.CheckFinite, o.Reference, o.Float64, o.Seed)
}
