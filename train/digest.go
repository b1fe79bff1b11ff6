package train

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"maps"
	"slices"
)

// digest is a check sum of a checkpoint: of the content, not of the layout, so that a
// tool may write the tensors in another order.
type digest struct {
	parts map[string][sha256.Size]byte // by the name of the tensor
}

// add takes the bytes of a tensor as they are in the file.
func (d *digest) add(name string, data []byte) { d.put(name, sha256.Sum256(data)) }

func (d *digest) addFloats(name string, x []float32) {
	h := sha256.New()
	var buf []byte
	for chunk := range slices.Chunk(x, 1<<14) {
		buf, _ = binary.Append(buf[:0], binary.LittleEndian, chunk) // cannot fail for []float32
		h.Write(buf)
	}
	d.put(name, [sha256.Size]byte(h.Sum(nil)))
}

// addReader takes the bytes of a tensor from r.
func (d *digest) addReader(name string, r io.Reader) error {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return err
	}
	d.put(name, [sha256.Size]byte(h.Sum(nil)))
	return nil
}

func (d *digest) put(name string, sum [sha256.Size]byte) {
	if d.parts == nil {
		d.parts = map[string][sha256.Size]byte{}
	}
	d.parts[name] = sum
}

// sum joins the tensors with the metadata, except the check sum itself.
func (d *digest) sum(meta map[string]string) string {
	h := sha256.New()
	write := func(text string) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
		io.WriteString(h, text)
	}
	for _, name := range slices.Sorted(maps.Keys(d.parts)) {
		write(name)
		part := d.parts[name]
		h.Write(part[:])
	}
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		if key != metaDigest {
			write(key)
			write(meta[key])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
