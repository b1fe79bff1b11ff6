// Dropout with the random numbers that the CPU draws: bits depend on the seed of the
// run, the operator, the key of the row and the place of the element, and on nothing else.
#include "rows.cuh"

typedef unsigned long long Word;

// The output function of SplitMix64 (Steele, Lea, Flood 2014).
DEVICE Word scramble(Word x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

// out[r][c] = 0 for some c, else x[r][c] * scale, for r < n; out may be x. Of the four
// elements from c = 4i on, number j is 0 where the 16 bits from 16j on of
// scramble(scramble(seed ^ scramble(salt << 32 | key[r])) + 4i) are below the limit.
// A block is 32 x 8 threads: a warp does a row.
KERNEL THREADS(256) dropout(float* out, int out_stride, const float* x, int x_stride, const unsigned* RESTRICT key,
                            Word seed, unsigned salt, unsigned limit, float scale, int n, int width) {
  int r = row_number();
  if (r >= n) return;
  Word base = scramble(seed ^ scramble(Word(salt) << 32 | key[r]));
  x += (long long)r * x_stride;
  out += (long long)r * out_stride;
  // A lane does one of four elements, so that neighbouring lanes touch neighbours.
  for (int c = thread_index().x; c < width; c += 32) {
    Word random = scramble(base + Word(c & ~3));
    out[c] = (random >> 16 * (c & 3) & 0xffff) < limit ? 0 : x[c] * scale;
  }
}

// out[j] = the key of row j within run r, of an invocation with key[r]; r < n.
KERNEL THREADS(256) element_keys(unsigned* RESTRICT out, int rows, const unsigned* RESTRICT key,
                                 const int* RESTRICT start, int length, int n) {
  int r = row_number();
  if (r >= n) return;
  Run run = run_of(start, length, rows, r);
  Word x = Word(key[r]) << 32 | 0xffffffffu;
  for (int j = run.first + thread_index().x; j < run.end; j += 32) {
    // scramble adds the increment once: element 0 has it once, element i i+1 times.
    out[j] = unsigned(scramble(x + Word(j - run.first) * 0x9e3779b97f4a7c15ull) >> 32);
  }
}
