// cp.async: copies from global to shared memory in the background.
//
// A copy is done when its group is waited for and not before, so that a program that
// does not wait, or waits for too little, reads what was there.
#include "lanes.h"

namespace ptx {
namespace {

void copy_async(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *to = w.row(i.a), *from = w.row(i.b), *size = w.row(i.c);
  each(mask, [&](int l) {
    w.copy_later({to[l] + uint64_t(i.offset), from[l] + uint64_t(i.offset2), i.count, uint32_t(size[l]), l});
  });
}

void commit_async(Warp& w, const Instruction&, uint32_t mask) { w.commit_copies(mask); }

void wait_async(Warp& w, const Instruction& i, uint32_t mask) {
  if (i.mode) w.commit_copies(mask);  // wait_all does not ask what was committed
  w.finish_copies(mask, i.mode ? 0 : uint32_t(w.row(i.a)[std::countr_zero(mask)]));
}

// decode_copy reads cp.async.{ca,cg}.shared.global [to], [from], bytes{, valid bytes}; and
// what commits and waits for copies.
void decode_copy(const Statement& s, Rows& rows, Instruction& i) {
  const std::string form = s.written();
  if (form == "cp.async.commit_group" && s.operands.empty()) i.run = commit_async;
  i.mode = form == "cp.async.wait_all";
  if (i.mode && s.operands.empty()) i.run = wait_async;
  if (form == "cp.async.wait_group" && s.operands.size() == 1) {
    i.a = rows.of(s.operands[0]);
    i.run = wait_async;
  }
  static const auto known = {"async", "ca", "cg", "shared", "global", "L2::128B", "L2::64B"};
  if (!s.has("global") || !only(s, known) || s.operands.size() < 3 || s.operands.size() > 4) return;
  const Operand &to = s.operands[0], &from = s.operands[1], &bytes = s.operands[2];
  if (to.kind != Operand::kAddress || from.kind != Operand::kAddress || bytes.kind != Operand::kNumber) return;
  if (bytes.bits != 4 && bytes.bits != 8 && bytes.bits != 16) return;
  i.a = rows.of(to);
  i.offset = to.offset;
  i.b = rows.of(from);
  i.offset2 = from.offset;
  i.count = uint8_t(bytes.bits);
  i.c = rows.of(s.operands.back());  // all bytes are valid unless there is a fourth operand
  i.run = copy_async;
}

}  // namespace

void add_async(Decoders& table) { table["cp"] = decode_copy; }

}  // namespace ptx
