package exec

import (
	"context"
	"errors"
	"slices"

	"github.com/frondml/frond/exec/device"
)

// DeviceGradients are the gradients of a run that stayed on the session's device, from
// GradOptions.OnDevice. They are valid until the session's next gradient run or Close, after
// which methods that need the device return ErrClosed, and for one goroutine at a time.
type DeviceGradients struct {
	s      *Session
	d      *deviceEngine   // of the first engine, which has them
	rows   []deviceRowSums // by variable
	sums   device.Buffer   // of squares
	synced int             // the first engine's, before it reads what others have
}

// deviceRowSums are the rows of a gradient that are not zero.
type deviceRowSums struct {
	numbers []int32 // ascending
	rows    deviceRoom
}

// joinDeviceGradients adds the gradients of all engines in those of the first.
func (s *Session) joinDeviceGradients(engines []*engine) (*DeviceGradients, error) {
	first := engines[0].dev
	for _, x := range engines {
		if err := x.dev.products(s.groups); err != nil {
			return nil, err
		}
	}
	for _, x := range engines[1:] {
		if err := first.behind(x.dev.stream); err != nil {
			return nil, s.device.failed(err)
		}
		first.reads, x.dev.reads = first.reads || x.dev.reads, false
	}
	g := &s.deviceGrads
	g.s, g.d, g.synced = s, first, first.synced
	if g.rows == nil {
		g.rows = make([]deviceRowSums, len(s.prog.Variables))
	}
	for v := range s.prog.Variables {
		if err := g.join(engines, v); err != nil {
			return nil, s.device.failed(err)
		}
	}
	return g, nil
}

// part orders engines whose gradients the first one has read behind it, before they use
// that memory again. Usually they are already: the host, or a step, waited for the first.
func (g *DeviceGradients) part() error {
	if g.d == nil {
		return nil
	}
	if g.d.synced > g.synced {
		g.parted()
	}
	for _, x := range g.s.engines {
		if !x.dev.lent {
			continue
		}
		if err := x.dev.behind(g.d.stream); err != nil {
			return err
		}
		x.dev.lent = false
	}
	return nil
}

// parted notes that the engines are behind the first.
func (g *DeviceGradients) parted() {
	for _, x := range g.s.engines {
		x.dev.lent = false
	}
}

// behind orders the engine's stream behind another.
func (d *deviceEngine) behind(o device.Stream) error {
	e, err := o.Record()
	if err != nil {
		return err
	}
	defer e.Release()
	return d.stream.Wait(e)
}

// join adds up the gradient of one variable.
func (g *DeviceGradients) join(engines []*engine, v int) error {
	d := g.d
	for _, x := range engines[1:] {
		if o := &x.dev.grads; o.used[v] {
			x.dev.lent = true
			into, err := d.grads.of(v)
			if err != nil {
				return err
			}
			sum := device.ColumnSum{Into: into, X: device.Rows{Buffer: o.dense[v], Stride: into.Words()}, N: 1, Width: into.Words()}
			if err := d.stream.AddColumns(sum); err != nil {
				return err
			}
		}
	}
	r := &g.rows[v]
	r.numbers = r.numbers[:0]
	for _, x := range engines {
		r.numbers = append(r.numbers, x.dev.grads.sparse[v].numbers...)
	}
	if len(r.numbers) == 0 {
		return nil
	}
	slices.Sort(r.numbers)
	r.numbers = slices.Compact(r.numbers)
	return g.joinRows(engines, v)
}

// joinRows adds the rows of all engines, to rows of their own or to a gradient that is
// dense anyway.
func (g *DeviceGradients) joinRows(engines []*engine, v int) error {
	d, r := g.d, &g.rows[v]
	t := g.s.prog.Variables[v].Type
	size := t.Elem().Size()
	limit := t.Size() / size
	into := device.Rows{Stride: size}
	var place []int32 // of a row of the variable in r.rows
	if d.grads.used[v] {
		into.Buffer = d.grads.dense[v]
		r.numbers = r.numbers[:0]
	} else {
		if err := d.grow(&r.rows, len(r.numbers)*size, 0); err != nil {
			return err
		}
		into.Buffer = r.rows.Buffer
		if err := d.stream.Zero(into.Buffer, 0, len(r.numbers)*size); err != nil {
			return err
		}
		place = make([]int32, limit)
		for i, row := range r.numbers {
			place[row] = int32(i)
		}
	}
	for i, x := range engines {
		s := &x.dev.grads.sparse[v]
		if len(s.numbers) == 0 {
			continue
		}
		x.dev.lent = i > 0
		names := s.numbers
		if place != nil {
			names = make([]int32, len(s.numbers))
			for i, row := range s.numbers {
				names[i] = place[row]
			}
		}
		groups := d.group(listKey{}, names, limit, sourceNumbers{})
		if err := d.lists.send(d); err != nil {
			return err
		}
		err := d.addGroups(&groups, into, device.Rows{Buffer: s.rows.Buffer, Stride: size}, size)
		if err = errors.Join(err, d.lists.release(d)); err != nil {
			return err
		}
	}
	return nil
}

// Scale multiplies the gradients by a factor.
func (g *DeviceGradients) Scale(factor float64) error {
	return g.use(func() error {
		if err := g.await(); err != nil {
			return err
		}
		return g.each(func(_ int, b device.Buffer, words int) error {
			return g.d.stream.Scale(b, words, float32(factor))
		})
	})
}

// Download copies the gradients to the host, as GradOptions without OnDevice does.
func (g *DeviceGradients) Download() (*Gradients, error) {
	if err := g.use(g.download); err != nil {
		return nil, err
	}
	return &g.s.grads, nil
}

// use calls f, for which the session must not be closed.
func (g *DeviceGradients) use(f func() error) error {
	if err := g.s.begin(context.Background()); err != nil {
		return err
	}
	defer g.s.active.Done()
	return g.s.device.failed(f())
}

// await orders the gradients' stream behind a step, which may still be reading them.
func (g *DeviceGradients) await() error { return g.s.device.replica.await(g.d.stream, &g.d.seen) }

// each calls f for what there is of gradients of variables that are not frozen.
func (g *DeviceGradients) each(f func(v int, b device.Buffer, words int) error) error {
	for i, v := range g.s.prog.Variables {
		if v.Frozen {
			continue
		}
		var err error
		switch {
		case g.d.grads.used[i]:
			err = f(i, g.d.grads.dense[i], v.Type.Size())
		case len(g.rows[i].numbers) > 0:
			err = f(i, g.rows[i].rows.Buffer, len(g.rows[i].numbers)*v.Type.Elem().Size())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// download makes the session's gradients on the host.
func (g *DeviceGradients) download() error {
	s := g.s
	if s.total == nil {
		s.total = newGradients(s.prog)
	}
	s.total.reset()
	err := g.each(func(v int, b device.Buffer, words int) error {
		if g.d.grads.used[v] {
			return g.d.download(s.total.unset(v, words), b)
		}
		rows := make([]float32, words)
		if err := g.d.download(rows, b); err != nil {
			return err
		}
		size := words / len(g.rows[v].numbers)
		for i, row := range g.rows[v].numbers {
			s.total.addRow(v, row, rows[i*size:(i+1)*size])
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.total.result(s.params, &s.grads, false)
	return nil
}

func (g *DeviceGradients) release() error {
	if g.d == nil {
		return nil
	}
	err := errors.Join(g.part(), g.await())
	if errors.Is(err, device.ErrLost) {
		err = nil
	}
	for i := range g.rows {
		err = errors.Join(err, g.d.free(g.rows[i].rows.Buffer))
		g.rows[i] = deviceRowSums{}
	}
	return errors.Join(err, g.d.free(g.sums))
}

// deviceResult makes the gradients of a run on a device.
func (s *Session) deviceResult(r *Result, engines []*engine, o GradOptions) error {
	g, err := s.joinDeviceGradients(engines)
	if err != nil {
		return err
	}
	if o.OnDevice {
		r.DeviceGradients = g
		return nil
	}
	if err := g.download(); err != nil { // the run goes on when the session is being closed
		return s.device.failed(err)
	}
	r.Gradients = &s.grads
	return nil
}

// endDeviceRun ends a gradient run, whether it has failed or not.
func (s *Session) endDeviceRun(parts int) error {
	if s.device == nil {
		return nil
	}
	var err error
	for _, x := range s.engines[:min(parts, len(s.engines))] {
		if ended := x.dev.ended(); err == nil {
			err = ended
		}
	}
	return err
}
