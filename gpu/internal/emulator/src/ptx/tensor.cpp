// mma.sync for tf32 and bf16, and ldmatrix.
//
// In the fragments of mma, lane l has row l / 4 and columns from l % 4 on of 8 x 8
// blocks; PTX ISA, "Matrix Fragments for mma". How a tensor core rounds its sums is
// not documented; here the products of an instruction are summed without rounding.
#include "lanes.h"
#include "narrow.h"

namespace ptx {
namespace {

// A fragment in registers: element (row, column) of a matrix is in a lane, a register
// and, for bf16, a half of it.
struct Place {
  int lane, reg, half;
};

// A is 16 x K by rows: registers go down first, then right.
Place place_a(int row, int column, int per_register) {
  int block = column / (4 * per_register);
  return {row % 8 * 4 + column / per_register % 4, row / 8 + 2 * block, column % per_register};
}

// B is K x 8 by columns.
Place place_b(int row, int column, int per_register) {
  return {column * 4 + row / per_register % 4, row / (4 * per_register), row % per_register};
}

// C and D are 16 x 8 in float.
Place place_c(int row, int column) { return {row % 8 * 4 + column / 2, row / 8 * 2 + column % 2, 0}; }

float fragment(Warp& w, const uint32_t* rows, Place p, bool bf16) {
  uint32_t bits = uint32_t(w.row(rows[p.reg])[p.lane]);
  return bf16 ? from_bf16(bits >> 16 * p.half & 0xffff) : from_tf32(bits);
}

// multiply_matrices does a 16 x 8 product with an inner dimension of 8 for tf32 and 16 for
// bf16. The registers are four of D, four of A, two of B, four of C.
template <bool kBf16>
void multiply_matrices(Warp& w, const Instruction& i, uint32_t mask) {
  if (mask != ~0u) w.fault(emu::kLaunchFailed, "mma without all lanes");
  const uint32_t *d = i.registers.data(), *a = d + 4, *b = d + 8, *c = d + 10;
  constexpr int kInner = kBf16 ? 16 : 8, kPer = kBf16 ? 2 : 1;
  float result[16][8];
  for (int row = 0; row < 16; row++) {
    for (int column = 0; column < 8; column++) {
      Place p = place_c(row, column);
      double sum = get<float>(w.row(c[p.reg])[p.lane]);
      for (int k = 0; k < kInner; k++) {
        sum += double(fragment(w, a, place_a(row, k, kPer), kBf16)) * fragment(w, b, place_b(k, column, kPer), kBf16);
      }
      result[row][column] = float(sum);
    }
  }
  for (int row = 0; row < 16; row++) {
    for (int column = 0; column < 8; column++) {
      Place p = place_c(row, column);
      w.row(d[p.reg])[p.lane] = put(result[row][column]);
    }
  }
}

// load_matrix loads 8 x 8 blocks of halves: lanes 8 n to 8 n + 7 have the addresses of
// the rows of block n, and every lane gets two neighbours of a row, or of a column if
// the blocks are transposed.
void load_matrix(Warp& w, const Instruction& i, uint32_t mask) {
  if (mask != ~0u) w.fault(emu::kLaunchFailed, "ldmatrix without all lanes");
  int blocks = int(i.registers.size());
  uint16_t halves[4][8][8];
  for (int lane = 0; lane < 8 * blocks; lane++) {
    uint64_t address = w.row(i.a)[lane] + uint64_t(i.offset);
    std::memcpy(halves[lane / 8][lane % 8], w.memory(Space::kShared, address, 16, SharedMemory::kRead, lane), 16);
  }
  for (int block = 0; block < blocks; block++) {
    each(mask, [&](int l) {
      int row = l / 4, column = l % 4 * 2;
      uint16_t low = i.mode ? halves[block][column][row] : halves[block][row][column];
      uint16_t high = i.mode ? halves[block][column + 1][row] : halves[block][row][column + 1];
      w.row(i.registers[size_t(block)])[l] = uint32_t(high) << 16 | low;
    });
  }
}

// append adds the registers of a vector operand, or a single one.
void append(const Operand& o, Rows& rows, Instruction& i) {
  if (o.kind != Operand::kVector) i.registers.push_back(rows.of(o));
  for (const Operand& element : o.elements) i.registers.push_back(rows.of(element));
}

void decode_tensor(const Statement& s, Rows& rows, Instruction& i) {
  const std::string shape = s.written();
  bool tf32 = shape == "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32";
  bool bf16 = shape == "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32";
  if ((!tf32 && !bf16) || s.operands.size() != 4) return;
  const size_t sizes[] = {4, 4, 2, 4};
  for (size_t n = 0; n < 4; n++) {
    if (s.operands[n].elements.size() != sizes[n]) return;
    append(s.operands[n], rows, i);
  }
  i.run = bf16 ? multiply_matrices<true> : multiply_matrices<false>;
}

void decode_load_matrix(const Statement& s, Rows& rows, Instruction& i) {
  static const auto known = {"sync", "aligned", "m8n8", "x1", "x2", "x4", "trans", "shared"};
  if (!only(s, known) || !s.has("shared") || s.operands.size() != 2 || s.operands[1].kind != Operand::kAddress) return;
  append(s.operands[0], rows, i);
  if (i.registers.size() != size_t(s.has("x4") ? 4 : s.has("x2") ? 2 : 1)) return;
  i.a = rows.of(s.operands[1]);
  i.offset = s.operands[1].offset;
  i.mode = s.has("trans");
  i.run = load_matrix;
}

}  // namespace

void add_tensor(Decoders& table) {
  table["mma"] = decode_tensor;
  table["ldmatrix"] = decode_load_matrix;
}

}  // namespace ptx
