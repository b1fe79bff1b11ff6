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

// element reads the element of an operand at a place in row r.
DEVICE unsigned element(const unsigned* data, const int* index, const View& v, int r, long long place) {
  return data ? data[place + (long long)(index ? index[r] : r) * v.stride] : 0;
}

// out[p] = operation(x[p], y[p], z[p]) for the places p of all rows, n elements in all.
// Operands that the operation does not have are null. Out may be an operand that lies
// as it does.
KERNEL THREADS(256) elements(unsigned* out, const unsigned* x, const int* x_index, const unsigned* y,
                             const int* y_index, const unsigned* z, const int* z_index, Layout l, int operation,
                             int n) {
  int i = block_index().x * 256 + thread_index().x;
  if (i >= n) return;
  long long to = 0, at_x = 0, at_y = 0, at_z = 0;
  // Most layouts have one axis, and divisions are slow.
  UNROLL for (int axis = 3; axis >= 0; axis--) {
    int extent = l.extent[axis];
    if (extent == 1) continue;
    long long at = i % extent;
    i /= extent;
    to += at * l.out.axis[axis];
    at_x += at * l.x.axis[axis];
    at_y += at * l.y.axis[axis];
    at_z += at * l.z.axis[axis];
  }
  unsigned a = element(x, x_index, l.x, i, at_x), b = element(y, y_index, l.y, i, at_y);
  out[to + (long long)i * l.out.stride] = apply(operation, a, b, element(z, z_index, l.z, i, at_z));
}
