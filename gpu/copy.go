package gpu

import "fmt"

// Fill sets the 32-bit words of a buffer, whose size must be a multiple of 4.
func (s *Stream) Fill(b Buffer, word uint32) error {
	return s.work(&opFill, []Arg{Out(b)}, func() error {
		if b.size%4 != 0 || b.offset%4 != 0 {
			return fmt.Errorf("%w: bytes %d to %d are not whole words", ErrArgument, b.offset, b.offset+b.size)
		}
		if b.size == 0 {
			return nil
		}
		return s.caller.Fill(b.pointer(), word, b.size/4, s.handle)
	})
}

// Copy copies a buffer to another one of the same size. They must not overlap.
func (s *Stream) Copy(to, from Buffer) error {
	return s.work(&opCopy, []Arg{Out(to), In(from)}, func() error {
		if to.size != from.size {
			return sizes(to.size, from.size)
		}
		if to.size == 0 {
			return nil
		}
		if to.block == from.block && to.offset < from.offset+from.size && from.offset < to.offset+to.size {
			return fmt.Errorf("%w: the ranges overlap", ErrArgument)
		}
		return s.caller.Copy(to.pointer(), from.pointer(), to.size, s.handle)
	})
}

// CopyToDevice copies pinned memory of the same size to a buffer. The memory is read
// when the stream gets there, and must stay as it is until then.
func (s *Stream) CopyToDevice(to Buffer, from Pinned) error {
	return s.work(&opCopyToDevice, []Arg{Out(to)}, func() error {
		if err := from.valid(); err != nil {
			return err
		}
		if to.size != int64(len(from.bytes)) {
			return sizes(to.size, int64(len(from.bytes)))
		}
		if to.size == 0 {
			return nil
		}
		return s.caller.CopyToDevice(to.pointer(), from.bytes, s.handle)
	})
}

// CopyToHost copies a buffer to pinned memory of the same size, which is written
// when the stream gets there.
func (s *Stream) CopyToHost(to Pinned, from Buffer) error {
	return s.work(&opCopyToHost, []Arg{In(from)}, func() error {
		if err := to.valid(); err != nil {
			return err
		}
		if int64(len(to.bytes)) != from.size {
			return sizes(int64(len(to.bytes)), from.size)
		}
		if from.size == 0 {
			return nil
		}
		return s.caller.CopyToHost(to.bytes, from.pointer(), s.handle)
	})
}

func sizes(to, from int64) error {
	return fmt.Errorf("%w: copy of %d bytes to %d bytes", ErrArgument, from, to)
}

// work issues an operation that uses buffers.
func (s *Stream) work(op *operation, uses []Arg, issue func() error) error {
	if err := s.enter(op); err != nil {
		return err
	}
	defer s.leave()
	return s.failed(op, s.workEntered(op, uses, issue))
}

// workEntered is work within a call.
func (s *Stream) workEntered(op *operation, uses []Arg, issue func() error) error {
	if err := s.before(op, uses); err != nil {
		return err
	}
	if err := issue(); err != nil {
		return s.device.noted(err)
	}
	s.after(op, uses)
	return nil
}

// before checks the buffers of an operation that is about to be issued.
func (s *Stream) before(op *operation, args []Arg) error {
	for i := range args {
		if args[i].kind != argBuffer {
			continue
		}
		if err := args[i].buffer.valid(); err != nil {
			return err
		}
		if !s.device.options.Check {
			continue
		}
		if err := s.check(op, args[i].buffer, args[i].write); err != nil {
			return err
		}
	}
	return nil
}

// after counts an operation that was issued.
func (s *Stream) after(op *operation, args []Arg) {
	at := s.issued(op)
	if !s.device.options.Check {
		return
	}
	for i := range args {
		if args[i].kind == argBuffer {
			s.note(op, args[i].buffer, args[i].write, at)
		}
	}
}
