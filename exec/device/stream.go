package device

// Stream is a queue of work. It is for one goroutine at a time. Calls for no rows, no
// groups or no words are valid, and change nothing unless they say so.
type Stream interface {
	// Alloc returns memory with undefined contents, or an error that wraps ErrMemory.
	Alloc(words int) (Buffer, error)
	// Free gives memory back, behind the work issued so far.
	Free(Buffer) error

	// UploadFloats and UploadInts copy from the host to words at, at+1, ….
	UploadFloats(to Buffer, at int, from []float32) error
	UploadInts(to Buffer, at int, from []int32) error
	// DownloadFloats and DownloadInts copy to the host and wait until the copy is there.
	DownloadFloats(to []float32, from Buffer, at int) error
	DownloadInts(to []int32, from Buffer, at int) error
	// Fetch begins to copy words to the host.
	Fetch(from Buffer, at, words int) (Fetch, error)
	// Copy copies words between buffers, or within one where they do not overlap.
	Copy(to Buffer, at int, from Buffer, fromAt, words int) error
	// Zero sets words to 0.
	Zero(b Buffer, at, words int) error

	// Launch executes a kernel of the stream's device.
	Launch(Kernel, *Call) error
	// Multiply computes a product of rows with a matrix.
	Multiply(Product) error
	// AddOuter adds outer products of rows to a matrix.
	AddOuter(OuterSum) error
	// AddGroups adds rows to others, in a fixed order.
	AddGroups(Groups) error
	// AddColumns adds rows to one row, in a fixed order.
	AddColumns(ColumnSum) error
	// CopyMatrix sets to = from, or to = fromᵀ. The operands do not overlap.
	CopyMatrix(to, from Matrix, transpose bool) error
	// Update makes a step of an optimiser. It leaves the gradient as it is.
	Update(Update) error
	// Scale multiplies words from 0 on by a factor.
	Scale(b Buffer, words int, factor float32) error
	// AddSquares adds the sum of the squares of words from 0 on to word at of the sum, in
	// a fixed order.
	AddSquares(sum Buffer, at int, b Buffer, words int) error

	// Record returns an event at the present end of the stream.
	Record() (Event, error)
	// Wait lets later work of the stream wait for an event of the same device.
	Wait(Event) error
	// Close waits for the stream's work and releases it. Its buffers live on.
	Close() error
}

// Fetch is a copy on its way to the host.
type Fetch interface {
	// Done reports whether the copy has come or failed. It does not wait.
	Done() bool
	// Ints waits and copies the words. It, or Release, is called once.
	Ints(to []int32) error
	// Release gives up the copy.
	Release()
}

// Product is C = A op(W) + bias, or C += A op(W) + bias if Add is set, with rows A
// `[m k]`, op(W) `[k n]` and C `[m n]`. Every element is one sum in the order of k, so
// that its bits do not depend on m, unless the device was opened with products that do
// not promise it.
type Product struct {
	M          int
	A, C       Rows // C without an index
	W          Matrix
	Transpose  bool   // op(W) is Wᵀ
	Bias       Buffer // nil for none
	BiasOffset int    // words of Bias before the n that count
	Add        bool
}

// OuterSum is Into += the sum over r < N of A[r]ᵀ B[r], with Into `[rows columns]`, A
// `[N rows]` and B `[N columns]`; Set writes Into instead of adding, zeros if N is 0. It
// has the same bits every time.
type OuterSum struct {
	Into Matrix
	Set  bool
	N    int
	A, B Rows
}

// Groups are rows to be added to others:
//
//	To[Target[i]] += From[Source[j]] for Start[i] <= j < Start[i+1], in this order
//
// with rows of Width floats and i < N. No two targets are the same. To has no index,
// and From none but Source.
type Groups struct {
	To, From              Rows
	Target, Start, Source Index
	N, Sources, Width     int
}

// ColumnSum is Into[Offset+j] += the sum over r < N of X[r][j], for j < Width.
type ColumnSum struct {
	Into     Buffer
	Offset   int
	X        Rows
	N, Width int
}
