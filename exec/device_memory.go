package exec

import (
	"errors"
	"fmt"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
)

// deviceEngine is the part of an engine that lies on a device: its stream, the floats of
// its stores, temporaries and gradients.
type deviceEngine struct {
	x      *engine
	s      *sessionDevice
	stream device.Stream
	words  int // held

	stores []deviceStore
	dys    []deviceRoom
	temps  []device.Buffer // of the phase

	lists    indexLists
	batch    hostBatch
	losses   deviceLosses
	tables   []deviceRoom // rows collected, per table
	fed      []fedRows    // per store: rows of inputs on their way
	wanted   []wantedRows // per store: rows on their way to results
	grads    deviceGradients
	distinct distinct

	call       device.Call
	fetches    []fetched
	pending    []*pendingBatch
	spare      []*batchRun
	apart      int // words of the host that batches in pending and spare hold
	received   []int32
	hostFloats []float32
	seen       uint64 // generation of the replica
	synced     int    // how often the host has waited for all work of the stream
	reads      bool   // parameters, and whoever changes them does not know
	lent       bool   // the first engine may be reading the gradients
}

// deviceStore holds the rows of a store of floats, and their cotangents.
type deviceStore struct{ rows, adjoints deviceRoom }

// deviceRoom is memory that grows.
type deviceRoom struct {
	device.Buffer
	n int // words in use, for those that are appended to
}

func (r *deviceRoom) capacity() int {
	if r.Buffer == nil {
		return 0
	}
	return r.Words()
}

func newDeviceEngine(x *engine, s *sessionDevice) (*deviceEngine, error) {
	stream, err := s.dev.NewStream()
	if err != nil {
		return nil, s.failed(err)
	}
	d := &deviceEngine{x: x, s: s, stream: stream}
	d.stores = make([]deviceStore, len(x.plan.stores))
	d.dys = make([]deviceRoom, len(x.plan.dys))
	d.tables = make([]deviceRoom, len(x.plan.tables))
	d.wanted = make([]wantedRows, len(x.plan.stores))
	d.fed = make([]fedRows, len(x.plan.stores))
	d.grads.init(d)
	return d, nil
}

// reset forgets all runs, and orders the stream behind the newest parameters.
func (d *deviceEngine) reset() error {
	d.losses.roots = d.losses.roots[:0]
	for i := range d.tables {
		d.tables[i].n = 0
	}
	for i := range d.fed {
		d.fed[i].rows = d.fed[i].rows[:0]
	}
	d.grads.reset()
	d.forgetPending()
	if err := d.endPhase(); err != nil { // of a kernel that panicked
		return d.s.failed(err)
	}
	return d.s.failed(d.s.replica.await(d.stream, &d.seen))
}

// moveRows moves kept rows, given in ascending order, to the places from first on.
func (d *deviceEngine) moveRows(s *storeInfo, moves []move, first int) error {
	from := make([]int32, len(moves))
	for i, v := range moves {
		from[i] = v.m.rows[v.k][v.e]
	}
	return d.s.failed(d.move(s, from, first))
}

// failed adds to an error of the device what it means for a run.
func (s *sessionDevice) failed(err error) error { return lacksMemory(named(s.dev, err)) }

// named says on which device an error occurred.
func named(d device.Device, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", d.Name(), err)
}

// lacksMemory makes the lack of a device's memory that of a run.
func lacksMemory(err error) error {
	if !errors.Is(err, device.ErrMemory) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrMemory, err)
}

// alloc returns memory that counts against the engine's limit.
func (d *deviceEngine) alloc(words int) (device.Buffer, error) {
	if err := d.x.mayGrow(int64(words) * 4); err != nil {
		return nil, err
	}
	b, err := d.stream.Alloc(words)
	if err != nil {
		return nil, err
	}
	d.words += words
	return b, nil
}

func (d *deviceEngine) free(b device.Buffer) error {
	if b == nil {
		return nil
	}
	d.words -= b.Words()
	return d.stream.Free(b)
}

// grow makes room for so many words; the first kept words keep their contents.
func (d *deviceEngine) grow(r *deviceRoom, words, kept int) error {
	if words <= r.capacity() && r.Buffer != nil {
		return nil
	}
	b, err := d.alloc(slotRoom(max(words, 64)))
	if errors.Is(err, ErrMemory) || errors.Is(err, device.ErrMemory) { // old and new do not fit: less room, then
		b, err = d.alloc(words)
	}
	if err != nil {
		return err
	}
	if kept > 0 {
		if err := d.stream.Copy(b, 0, r.Buffer, 0, kept); err != nil {
			return errors.Join(err, d.free(b))
		}
	}
	old := r.Buffer
	r.Buffer = b
	return d.free(old)
}

// appendRows adds n rows to a store.
func (d *deviceEngine) appendRows(id, n int) error {
	s, rows := d.x.plan.stores[id], &d.x.stores[id].rows
	if err := d.grow(&d.stores[id].rows, (*rows+n)*s.size, *rows*s.size); err != nil {
		return err
	}
	*rows += n
	return nil
}

// reserve makes room for n more rows of cotangents that gradients of products read.
func (d *deviceEngine) reserve(dy, n int) error {
	width, have := d.x.plan.dys[dy].width, d.x.dys[dy].n
	return d.grow(&d.dys[dy], (have+n)*width, have*width)
}

// slot returns temporary memory for the rows of one batch.
func (d *deviceEngine) slot(b *buffer) (device.Buffer, error) {
	run := d.x.run
	for len(run.rooms) <= b.slot {
		run.rooms = append(run.rooms, deviceRoom{})
	}
	r := &run.rooms[b.slot]
	err := d.grow(r, run.code.slots[b.slot].size*run.count(b.space), 0)
	return r.Buffer, err
}

// temp returns temporary memory of the phase.
func (d *deviceEngine) temp(i, words int) (device.Buffer, error) {
	for len(d.temps) <= i {
		d.temps = append(d.temps, nil)
	}
	if d.temps[i] == nil {
		b, err := d.alloc(words)
		if err != nil {
			return nil, err
		}
		d.temps[i] = b
	}
	return d.temps[i], nil
}

// endPhase gives back what only the phase needed.
func (d *deviceEngine) endPhase() error {
	var err error
	for i, b := range d.temps {
		err = errors.Join(err, d.free(b))
		d.temps[i] = nil
	}
	return errors.Join(err, d.lists.release(d))
}

// upload copies integers into memory that the caller frees.
func (d *deviceEngine) upload(words []int32) (device.Buffer, error) {
	b, err := d.alloc(len(words))
	if err != nil {
		return nil, err
	}
	if err := d.stream.UploadInts(b, 0, words); err != nil {
		return nil, errors.Join(err, d.free(b))
	}
	return b, nil
}

// global returns the elements of a constant or variable, to be read.
func (d *deviceEngine) global(v graph.Value) (device.Buffer, error) {
	d.reads = d.reads || v.Variable() != nil
	return d.s.global(v)
}

// weight returns the matrix of a product, to be read.
func (d *deviceEngine) weight(i int) (deviceWeight, error) {
	d.reads = true
	return d.s.weight(i)
}

// pin fills the first rows of a store with its constants and variables.
func (d *deviceEngine) pin(s *storeInfo) error {
	for i, v := range s.pins {
		from, err := d.global(v)
		if err != nil {
			return err
		}
		if err := d.stream.Copy(d.stores[s.id].rows.Buffer, i*s.size, from, 0, s.size); err != nil {
			return err
		}
	}
	return nil
}

// move moves kept rows of a store, given in ascending order, to the places from first on.
func (d *deviceEngine) move(s *storeInfo, from []int32, first int) error {
	if len(from) == 0 || int(from[len(from)-1]) == first+len(from)-1 { // they are there
		return nil
	}
	b, err := d.gather(device.Rows{Buffer: d.stores[s.id].rows.Buffer, Stride: s.size}, from, s.size)
	if err != nil {
		return err
	}
	err = d.stream.Copy(d.stores[s.id].rows.Buffer, first*s.size, b, 0, len(from)*s.size)
	return errors.Join(err, d.free(b))
}

// gather returns rows by number, one after the other, in memory that the caller frees.
func (d *deviceEngine) gather(from device.Rows, names []int32, size int) (device.Buffer, error) {
	index, err := d.upload(names)
	if err != nil {
		return nil, err
	}
	b, err := d.alloc(len(names) * size)
	if err == nil {
		from.Index = device.Index{Buffer: index}
		err = d.copyRows(device.Rows{Buffer: b, Stride: size}, from, len(names), size)
	}
	if err = errors.Join(err, d.free(index)); err != nil {
		return nil, errors.Join(err, d.free(b))
	}
	return b, nil
}

// copyRows copies n rows.
func (d *deviceEngine) copyRows(to, from device.Rows, n, size int) error {
	k, err := d.s.rowCopy(size)
	if err != nil || n == 0 {
		return err
	}
	return d.stream.Launch(k, &device.Call{N: n, In: []device.Rows{to, from}})
}

// close gives everything back.
func (d *deviceEngine) close() error {
	d.forgetPending()
	var err error
	free := func(r *deviceRoom) {
		err = errors.Join(err, d.free(r.Buffer))
		*r = deviceRoom{}
	}
	for i := range d.stores {
		free(&d.stores[i].rows)
		free(&d.stores[i].adjoints)
	}
	rooms := [][]deviceRoom{d.dys, d.tables, d.x.run.rooms}
	for _, r := range d.spare {
		rooms = append(rooms, r.rooms)
	}
	for _, rooms := range rooms {
		for i := range rooms {
			free(&rooms[i])
		}
	}
	free(&d.losses.rows)
	return errors.Join(err, d.endPhase(), d.grads.release(), d.stream.Close())
}
