package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/frondml/frond/gpu"
)

// operand is a matrix on the host and on the device, as float32 and as bfloat16.
type operand struct {
	rows, columns int
	host          []float32
	full, half    gpu.Buffer
}

// operand makes a matrix of numbers between -1 and 1.
func (g *gemms) operand(seed uint64, rows, columns int) (*operand, error) {
	random := rand.New(rand.NewPCG(seed, uint64(rows)))
	o := &operand{rows: rows, columns: columns, host: make([]float32, rows*columns)}
	full, half := make([]byte, 0, 4*len(o.host)), make([]byte, 0, 2*len(o.host))
	for i := range o.host {
		x := 2*random.Float32() - 1
		o.host[i] = x
		full = binary.LittleEndian.AppendUint32(full, math.Float32bits(x))
		half = binary.LittleEndian.AppendUint16(half, bfloat16(x))
	}
	var err error
	if o.full, err = g.upload(full); err != nil {
		return nil, err
	}
	if o.half, err = g.upload(half); err != nil {
		return nil, errors.Join(err, g.stream.Free(o.full))
	}
	return o, nil
}

func (g *gemms) upload(data []byte) (gpu.Buffer, error) {
	b, err := g.stream.Alloc(int64(len(data)))
	if err != nil {
		return gpu.Buffer{}, err
	}
	if err := g.stream.Upload(context.Background(), b, data); err != nil {
		return gpu.Buffer{}, errors.Join(err, g.stream.Free(b))
	}
	return b, nil
}

func (g *gemms) free(o *operand) error {
	return errors.Join(g.stream.Free(o.full), g.stream.Free(o.half))
}

// bfloat16 rounds to the nearest, ties to even.
func bfloat16(x float32) uint16 {
	bits := math.Float32bits(x)
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// at returns element (i, j) of the operand or its transpose.
func (o *operand) at(i, j int, transposed bool) float64 {
	if transposed {
		i, j = j, i
	}
	return float64(o.host[i*o.columns+j])
}

// probes is how many elements of a result are compared.
const probes = 64

// wrong returns the largest error of a result relative to the sum of the magnitudes of
// its terms, at some elements, which must not exceed a bound.
func (p product) wrong(a, b *operand, result []byte, bound float64) (float64, error) {
	random := rand.New(rand.NewPCG(uint64(p.m), uint64(p.n)))
	worst := 0.0
	for range probes {
		i, j := random.IntN(p.m), random.IntN(p.n)
		want, terms := 0.0, 0.0
		for l := range p.k {
			term := a.at(i, l, p.transposeA) * b.at(l, j, p.transposeB)
			want, terms = want+term, terms+math.Abs(term)
		}
		got := float64(math.Float32frombits(binary.LittleEndian.Uint32(result[4*(i*p.n+j):])))
		if d := math.Abs(got - want); !(d <= bound*terms) {
			return 0, fmt.Errorf("element (%d, %d) is %v, want %v within %v", i, j, got, want, bound*terms)
		}
		worst = max(worst, math.Abs(got-want)/terms)
	}
	return worst, nil
}
