package safetensors

import (
	"encoding/binary"
	"fmt"
	"io"
)

// ReadF32 copies the F32 tensor name into dst. Like all Read methods it needs a dst
// of exactly the tensor's length and wraps ErrNotFound, ErrDType, ErrLength or the
// error of the underlying reader; after the latter the content of dst is undefined.
func (r *Reader) ReadF32(name string, dst []float32) error { return read(r, name, dst) }

// ReadF64 copies the F64 tensor name into dst.
func (r *Reader) ReadF64(name string, dst []float64) error { return read(r, name, dst) }

// ReadI32 copies the I32 tensor name into dst.
func (r *Reader) ReadI32(name string, dst []int32) error { return read(r, name, dst) }

// ReadI64 copies the I64 tensor name into dst.
func (r *Reader) ReadI64(name string, dst []int64) error { return read(r, name, dst) }

// ReadU8 copies the U8 tensor name into dst.
func (r *Reader) ReadU8(name string, dst []uint8) error { return read(r, name, dst) }

// ReadBool copies the BOOL tensor name into dst. Bytes other than 0 are true.
func (r *Reader) ReadBool(name string, dst []bool) error { return read(r, name, dst) }

// ReadAsF32 copies the tensor name, of dtype F32, F16 or BF16, into dst. All values
// of these types are exact in float32.
func (r *Reader) ReadAsF32(name string, dst []float32) error {
	info, err := r.lookup(name)
	if err != nil {
		return err
	}
	var widen func(uint16) float32
	switch info.DType {
	case F32:
		return read(r, name, dst)
	case F16:
		widen = float16ToFloat32
	case BF16:
		widen = bfloat16ToFloat32
	default:
		return r.mismatch(ErrDType, info, "%s%v cannot be read as float32; F32, F16 and BF16 can", info.DType, info.Shape)
	}
	if err := r.checkLen(info, len(dst), info.Len()); err != nil {
		return err
	}
	return r.chunks(info, func(b []byte) error {
		for ; len(b) > 0; b, dst = b[2:], dst[1:] {
			dst[0] = widen(binary.LittleEndian.Uint16(b))
		}
		return nil
	})
}

// ReadBytes copies the bytes of the tensor name, of any dtype, into dst of length
// Info.Size: little-endian and row-major.
func (r *Reader) ReadBytes(name string, dst []byte) error {
	info, err := r.lookup(name)
	if err != nil {
		return err
	}
	if err := r.checkLen(info, len(dst), int(info.Size)); err != nil {
		return err
	}
	return r.readAt(info, dst, 0)
}

// Section returns a reader of the bytes of the tensor name, of any dtype.
func (r *Reader) Section(name string) (*io.SectionReader, error) {
	info, err := r.lookup(name)
	if err != nil {
		return nil, err
	}
	return io.NewSectionReader(r.src, info.Offset, info.Size), nil
}

// read copies a tensor of the dtype that stores T into dst.
func read[T Element](r *Reader, name string, dst []T) error {
	info, err := r.lookup(name)
	if err != nil {
		return err
	}
	if want := dtypeOf[T](); info.DType != want {
		return r.mismatch(ErrDType, info, "%s%v cannot be read as %s", info.DType, info.Shape, want)
	}
	if err := r.checkLen(info, len(dst), info.Len()); err != nil {
		return err
	}
	return r.chunks(info, func(b []byte) error {
		n := len(b) / info.DType.Size()
		_, err := binary.Decode(b, binary.LittleEndian, dst[:n])
		dst = dst[n:]
		return err
	})
}

// chunks reads the bytes of a tensor in pieces that hold whole elements and calls
// visit for each.
func (r *Reader) chunks(info Info, visit func([]byte) error) error {
	buf := make([]byte, min(info.Size, bufferSize))
	for done := int64(0); done < info.Size; {
		b := buf[:min(info.Size-done, bufferSize)]
		if err := r.readAt(info, b, done); err != nil {
			return err
		}
		if err := visit(b); err != nil {
			return fmt.Errorf("safetensors: %s: tensor %s: decoding: %w", r.file, quote(info.Name), err)
		}
		done += int64(len(b))
	}
	return nil
}

// readAt fills b with the bytes of a tensor from offset on.
func (r *Reader) readAt(info Info, b []byte, offset int64) error {
	if n, err := r.src.ReadAt(b, info.Offset+offset); n < len(b) {
		return fmt.Errorf("safetensors: %s: tensor %s: got %d of %d bytes at file offset %d: %w",
			r.file, quote(info.Name), n, len(b), info.Offset+offset, unexpected(err))
	}
	return nil
}

func (r *Reader) lookup(name string) (Info, error) {
	info, ok := r.tensors[name]
	if !ok {
		return Info{}, fmt.Errorf("safetensors: %s: tensor %s: %w", r.file, quote(name), ErrNotFound)
	}
	return info, nil
}

func (r *Reader) checkLen(info Info, got, want int) error {
	if got == want {
		return nil
	}
	return r.mismatch(ErrLength, info, "destination has length %d, %s%v needs %d", got, info.DType, info.Shape, want)
}

func (r *Reader) mismatch(kind error, info Info, format string, args ...any) error {
	return fmt.Errorf("safetensors: %s: tensor %s: %s: %w", r.file, quote(info.Name), fmt.Sprintf(format, args...), kind)
}
