package tensorboard

import (
	"encoding/binary"
	"hash/crc32"
)

// appendRecord appends a TFRecord frame: the length of data as 8 bytes, the masked check
// sum of these, the data, and the masked check sum of the data, all little-endian.
func appendRecord(dst, data []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(data)))
	dst = binary.LittleEndian.AppendUint32(dst, maskedChecksum(dst[len(dst)-8:]))
	dst = append(dst, data...)
	return binary.LittleEndian.AppendUint32(dst, maskedChecksum(data))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedChecksum is CRC-32C, rotated and shifted: the check sum of data that holds its
// own check sum would be the same whatever the data are.
func maskedChecksum(data []byte) uint32 {
	const shift = 0xa282ead8
	sum := crc32.Checksum(data, castagnoli)
	return (sum>>15 | sum<<17) + shift
}
