// Element-wise operations on rows that lie anywhere: each operand has an index of its
// rows, or none, and distances of its own between rows and along the axes of a row.
// Repeating, transposing, cutting and joining are copies of this kind.
#include "operations.cuh"

// Operations on words, numbered as in elements.go, beside those of operations.cuh.
enum WordOperation {
  kZero = 64, kCopy, kLess, kLessEqual, kEqual, kNotEqual, kChoose, kIntegerToFloat, kFloatToInteger, kFloatToTruth,
};

// View is how an operand lies: words from row to row and along the axes of a row.
struct View {
  int stride;
  int axis[4];
};

struct Layout {
  int extent[4];
  View out, x, y, z;
};

// The integer nearest to v without its fraction, and 0 for what is not a number.
DEVICE int truncated(float v) {
  return v != v ? 0 : v <= -2147483648.0f ? -0x7fffffff - 1 : v >= 2147483648.0f ? 0x7fffffff : int(v);
}

DEVICE unsigned apply(int operation, unsigned x, unsigned y, unsigned z) {
  float a = float_of(x), b = float_of(y);
  switch (operation) {
    case kZero: return 0;
    case kCopy: return x;
    case kLess: return a < b;
    case kLessEqual: return a <= b;
    case kEqual: return a == b;
    case kNotEqual: return a != b;
    case kChoose: return x ? y : z;
    case kIntegerToFloat: return bits_of(float(int(x)));
    case kFloatToInteger: return unsigned(truncated(a));
    case kFloatToTruth: return a != 0;
  }
  return bits_of(apply(operation, a, b));
}

// Place is an element of a row: its row and its place along each axis.
struct Place {
  int row;
  int at[4];
};

DEVICE long long offset(const View& v, const int* index, const Place& p) {
  long long o = (long long)(index ? index[p.row] : p.row) * v.stride;
  UNROLL for (int axis = 0; axis < 4; axis++) o += (long long)p.at[axis] * v.axis[axis];
  return o;
}

DEVICE unsigned element(const unsigned* data, const View& v, const int* index, const Place& p) {
  return data ? data[offset(v, index, p)] : 0;
}

// out[p] = operation(x[p], y[p], z[p]) for the places p of all rows, n elements in all.
// Operands that the operation does not have are null. Out may be an operand that lies
// as it does.
KERNEL THREADS(256) elements(unsigned* out, const unsigned* x, const int* x_index, const unsigned* y,
                             const int* y_index, const unsigned* z, const int* z_index, Layout l, int operation,
                             int n) {
  int i = block_index().x * 256 + thread_index().x;
  if (i >= n) return;
  Place p;
  // Most layouts have one axis, and divisions are slow.
  UNROLL for (int axis = 3; axis >= 0; axis--) {
    int extent = l.extent[axis];
    p.at[axis] = 0;
    if (extent > 1) {
      p.at[axis] = i % extent;
      i /= extent;
    }
  }
  p.row = i;
  unsigned a = element(x, l.x, x_index, p), b = element(y, l.y, y_index, p), c = element(z, l.z, z_index, p);
  out[offset(l.out, nullptr, p)] = apply(operation, a, b, c);
}
