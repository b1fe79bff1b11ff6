// Copies between arrays of up to four axes with any distances between elements: what
// slices, concatenation, padding, transposition and broadcasting are made of.
#include "dialect.cuh"

// Layout is the extents of what is copied and the distances of elements along each
// axis, in the result and in the source.
struct Layout {
  int extent[4];
  int out[4];
  int from[4];
};

struct Place {
  long long out, from;
};

// place finds element i of a layout, of which there are n.
DEVICE Place place(const Layout& l, int i) {
  Place p = {0, 0};
  UNROLL for (int axis = 3; axis >= 0; axis--) {
    int at = i % l.extent[axis];
    i /= l.extent[axis];
    p.out += (long long)at * l.out[axis];
    p.from += (long long)at * l.from[axis];
  }
  return p;
}

// out[l.out . i] = from[l.from . i] for all places i of the layout, n in number.
KERNEL THREADS(256) copy_strided(unsigned* RESTRICT out, const unsigned* RESTRICT from, Layout l, int n) {
  int i = block_index().x * 256 + thread_index().x;
  if (i >= n) return;
  Place p = place(l, i);
  out[p.out] = from[p.from];
}

// out[l.out . i] += from[l.from . i] for all places i of the layout, n in number. No
// two of them may be the same in out.
KERNEL THREADS(256) add_strided(float* RESTRICT out, const float* RESTRICT from, Layout l, int n) {
  int i = block_index().x * 256 + thread_index().x;
  if (i >= n) return;
  Place p = place(l, i);
  out[p.out] += from[p.from];
}
