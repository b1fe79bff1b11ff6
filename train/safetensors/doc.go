// Package safetensors reads and writes the safetensors file format: named,
// dense, row-major tensors and a map of strings in one file.
//
// A file is an 8-byte little-endian header length N, N bytes of JSON
//
//	{"__metadata__": {"key": "text"},
//	 "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}}
//
// and the data section that the offsets count from. The tensors tile the data
// section: no byte lies between two tensors, in two tensors or after the last.
//
// The package knows nothing of models, optimisers or what the names mean; a
// checkpoint is built on top of it. It does not shard, compress or map files
// into memory.
//
// # Writing
//
// [Write] streams to any io.Writer and holds no second copy of the data.
// [WriteFile] replaces a file atomically. Equal input gives equal bytes: tensors
// are ordered by alignment, then name, and metadata by key.
//
// # Alignment
//
// The header is padded with spaces so that the data section starts at a multiple
// of 64 bytes. The format forbids padding between tensors, so their order gives
// the alignment: tensors whose byte size is divisible by 64 come first, then by
// 32, and so on. Every tensor therefore starts at a multiple of the largest power
// of two, up to 64, that divides its own byte size, which is never less than the
// size of one element. The reader copies and so takes any alignment.
//
// # Reading
//
// [Open] and [NewReader] treat the input as hostile. The whole header is checked
// before a Reader exists: a length beyond the file or the limit of [MaxHeader],
// malformed or deeply nested JSON, duplicate names, unknown dtypes, dimensions
// that overflow, and ranges that overlap, leave a hole or end elsewhere than the
// file does are errors. A header length is not believed: memory grows with the
// bytes that are really there, and a Reader keeps a small multiple of the header's.
// The caller allocates destinations; [Info.Len] never exceeds what the file holds.
//
// # Ownership and concurrency
//
// Write borrows the caller's slices until it returns; they must not be modified
// meanwhile. Readers hand out copies only. A Reader is immutable and safe for
// concurrent use as far as its io.ReaderAt is, as *os.File and *bytes.Reader are.
// Close must not run concurrently with reads.
//
// # Errors
//
// Malformed input gives a [*FormatError] that wraps [ErrFormat]. Misuse wraps
// [ErrInvalid], [ErrNotFound], [ErrDType] or [ErrLength]. Errors of the underlying
// reader, writer or file system are wrapped and can be found with errors.Is.
package safetensors
