package gpu

import (
	"fmt"
	"strconv"
	"strings"
)

// parameter is what a kernel declares of one of its parameters.
type parameter struct {
	size int  // bytes
	real bool // a floating-point number
}

// signatures reads the parameters of all kernels of a PTX text. The driver does not
// tell them, and a launch with others would be undefined: the driver copies as many
// bytes as the kernel wants from wherever the arguments are.
func signatures(ptx string) (map[string][]parameter, error) {
	kernels := map[string][]parameter{}
	rest := stripComments(ptx)
	for {
		_, after, found := strings.Cut(rest, ".entry")
		if !found {
			return kernels, nil
		}
		name, after, found := strings.Cut(after, "(")
		name = strings.TrimSpace(name)
		list, tail, closed := strings.Cut(after, ")")
		if !found || !closed || name == "" {
			return nil, fmt.Errorf("%w: PTX: .entry without a parameter list", ErrArgument)
		}
		parameters, err := parseParameters(list)
		if err != nil {
			return nil, fmt.Errorf("%w: PTX: kernel %.60s: %w", ErrArgument, name, err)
		}
		kernels[name] = parameters
		rest = tail
	}
}

// stripComments removes // comments; the compilers of PTX write no others.
func stripComments(ptx string) string {
	var b strings.Builder
	for line := range strings.Lines(ptx) {
		code, _, commented := strings.Cut(line, "//")
		b.WriteString(code)
		if commented {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// maxParameterBytes is PTX's limit for all parameters of a kernel together.
const maxParameterBytes = 4352

func parseParameters(list string) ([]parameter, error) {
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	var parameters []parameter
	for _, text := range strings.Split(list, ",") {
		p, err := parseParameter(text)
		if err != nil {
			return nil, err
		}
		parameters = append(parameters, p)
	}
	return parameters, nil
}

// parseParameter reads ".param .align 4 .b8 name[64]" or ".param .u64 name".
func parseParameter(text string) (parameter, error) {
	words := strings.Fields(text)
	if len(words) < 3 || words[0] != ".param" {
		return parameter{}, fmt.Errorf("%.60q is not a parameter", strings.TrimSpace(text))
	}
	var p parameter
	for _, word := range words[1:] {
		if size, real := typeSize(word); size > 0 {
			p.size, p.real = size, real
			break
		}
	}
	if p.size == 0 {
		return parameter{}, fmt.Errorf("%.60q has no known type", strings.TrimSpace(text))
	}
	if _, length, array := strings.Cut(words[len(words)-1], "["); array {
		n, err := strconv.Atoi(strings.TrimSuffix(length, "]"))
		if err != nil || n < 1 || n > maxParameterBytes {
			return parameter{}, fmt.Errorf("%.60q has no valid length", strings.TrimSpace(text))
		}
		p.size *= n
	}
	return p, nil
}

// typeSize returns the size of a PTX type, or 0 for what is none.
func typeSize(word string) (size int, real bool) {
	if len(word) < 3 || word[0] != '.' || !strings.Contains("busf", word[1:2]) {
		return 0, false
	}
	bits, err := strconv.Atoi(word[2:])
	if err != nil || bits != 8 && bits != 16 && bits != 32 && bits != 64 {
		return 0, false
	}
	return bits / 8, word[1] == 'f'
}
