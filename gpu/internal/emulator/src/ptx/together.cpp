// What lanes do together: branches, barriers, shuffles and votes.
#include "control.h"
#include "lanes.h"

namespace ptx {

void branch_to(Warp& w, const Instruction& i, uint32_t mask) { w.jump(mask, i.target); }

void exit_lanes(Warp& w, const Instruction&, uint32_t mask) {
  w.exit(mask);
  w.jump(0, 0);  // the lanes that stay must be gathered anew
}

namespace {

void barrier(Warp& w, const Instruction&, uint32_t mask) { w.wait_at_barrier(mask); }

void warp_barrier(Warp& w, const Instruction& i, uint32_t mask) {
  w.synchronize(mask, uint32_t(w.row(i.a)[std::countr_zero(mask)]));
}

void nothing(Warp&, const Instruction&, uint32_t) {}

void trap(Warp& w, const Instruction&, uint32_t) { w.fault(emu::kLaunchFailed, "trap"); }

enum Shuffle : uint8_t { kShuffleUp, kShuffleDown, kButterfly, kIndex };

// source returns the lane that a lane reads, and whether it is in range. The third
// operand holds the last lane in its lower and the segment mask in its upper bits.
int source(uint8_t mode, int lane, uint32_t b, uint32_t c, bool* in_range) {
  int segment = int(c >> 8 & 31), clamp = int(c & 31), n = int(b & 31);
  int bottom = lane & segment, top = bottom | (clamp & ~segment), j = lane;
  switch (mode) {
    case kShuffleUp: j = lane - n; break;
    case kShuffleDown: j = lane + n; break;
    case kButterfly: j = lane ^ n; break;
    default: j = bottom | (n & ~segment);
  }
  *in_range = mode == kShuffleUp ? j >= top : j <= top;
  return *in_range ? j : lane;
}

void shuffle(Warp& w, const Instruction& i, uint32_t mask) {
  w.synchronize(mask, uint32_t(w.row(i.e)[std::countr_zero(mask)]));
  uint64_t values[kLanes];
  std::memcpy(values, w.row(i.a), sizeof values);
  uint64_t *b = w.row(i.b), *c = w.row(i.c);
  each(mask, [&](int l) {
    bool in_range;
    int j = source(i.mode, l, uint32_t(b[l]), uint32_t(c[l]), &in_range);
    if (!(mask >> j & 1)) w.fault(emu::kLaunchFailed, "shfl reads lane " + std::to_string(j) + ", which does not take part");
    w.row(i.d)[l] = values[j];
    if (i.count > 1) w.row(i.vector[1])[l] = in_range;
  });
}

enum Vote : uint8_t { kAll, kAny, kUniform, kBallot };

void vote(Warp& w, const Instruction& i, uint32_t mask) {
  w.synchronize(mask, uint32_t(w.row(i.b)[std::countr_zero(mask)]));
  uint32_t yes = 0;
  each(mask, [&](int l) { yes |= uint32_t(w.row(i.a)[l] & 1) << l; });
  bool all = yes == mask, any = yes != 0;
  uint64_t result = i.mode == kAll ? all : i.mode == kAny ? any : i.mode == kUniform ? all || !any : yes;
  each(mask, [&](int l) { w.row(i.d)[l] = result; });
}

void active(Warp& w, const Instruction& i, uint32_t mask) {
  each(mask, [&](int l) { w.row(i.d)[l] = mask; });
}

void decode_barrier(const Statement& s, Rows& rows, Instruction& i) {
  if (s.written() == "bar.warp.sync" && s.operands.size() == 1) {
    i.a = rows.of(s.operands[0]);
    i.run = warp_barrier;
  }
  bool whole_block = s.operands.size() == 1 && s.operands[0].kind == Operand::kNumber && s.operands[0].bits == 0;
  if ((s.written() == "bar.sync" || s.written() == "barrier.sync") && whole_block) i.run = barrier;
}

void decode_shuffle(const Statement& s, Rows& rows, Instruction& i) {
  static const std::map<std::string, uint8_t> modes = {
      {"up", kShuffleUp}, {"down", kShuffleDown}, {"bfly", kButterfly}, {"idx", kIndex}};
  if (s.opcode.size() != 4 || s.opcode[1] != "sync" || s.opcode[3] != "b32" || s.operands.size() != 5) return;
  auto mode = modes.find(s.opcode[2]);
  if (mode == modes.end()) return;
  i.mode = mode->second;
  uint32_t* places[] = {&i.d, &i.a, &i.b, &i.c, &i.e};
  for (int n = 0; n < 5; n++) *places[n] = rows.of(s.operands[n]);
  if (!s.operands[0].predicate.empty()) {
    i.count = 2;
    i.vector[1] = rows.reg(s.operands[0].predicate);
  }
  i.run = shuffle;
}

void decode_vote(const Statement& s, Rows& rows, Instruction& i) {
  static const std::map<std::string, uint8_t> modes = {{"all", kAll}, {"any", kAny}, {"uni", kUniform}, {"ballot", kBallot}};
  if (s.opcode.size() != 4 || s.opcode[1] != "sync" || !operands(s, rows, i, 3)) return;
  auto mode = modes.find(s.opcode[2]);
  if (mode == modes.end()) return;
  i.mode = mode->second;
  i.run = vote;
}

template <Handler kRun>
void plain(const Statement& s, Rows&, Instruction& i) {
  if (s.operands.empty()) i.run = kRun;
}

void decode_active(const Statement& s, Rows& rows, Instruction& i) {
  if (operands(s, rows, i, 1)) i.run = active;
}

}  // namespace

void add_warp(Decoders& table) {
  table["bar"] = table["barrier"] = decode_barrier;
  table["shfl"] = decode_shuffle;
  table["vote"] = decode_vote;
  table["activemask"] = decode_active;
  table["membar"] = table["fence"] = plain<nothing>;
  table["ret"] = table["exit"] = plain<exit_lanes>;
  table["trap"] = plain<trap>;
}

}  // namespace ptx
