#include "shared.h"

namespace ptx {

SharedMemory::SharedMemory(uint64_t size) : bytes_(size, 0xff), words_((size + 3) / 4) {}

uint8_t* SharedMemory::at(uint64_t offset, uint64_t size) {
  if (size > bytes_.size() || offset > bytes_.size() - size) return nullptr;
  return bytes_.data() + offset;
}

// unordered reports whether an access may run at the same time as a marked one.
bool SharedMemory::unordered(const Mark& mark, const Accessor& by) {
  if (!mark.set || mark.by.block_phase != by.block_phase) return false;
  if (mark.several_warps || mark.by.warp != by.warp) return true;
  return mark.by.warp_phase == by.warp_phase && (mark.several || mark.by.thread != by.thread);
}

void SharedMemory::add_reader(Mark& mark, const Accessor& by) {
  bool same_block = mark.set && mark.by.block_phase == by.block_phase;
  bool same_warp = same_block && mark.by.warp == by.warp;
  mark.several_warps = same_block && (mark.several_warps || !same_warp);
  mark.several = same_warp && mark.by.warp_phase == by.warp_phase && (mark.several || mark.by.thread != by.thread);
  mark.by = by;
  mark.set = true;
}

std::string SharedMemory::note(uint64_t offset, uint64_t size, Access access, const Accessor& by) {
  for (uint64_t w = offset / 4; w <= (offset + size - 1) / 4; w++) {
    Word& word = words_[w];
    const Mark* other = nullptr;
    if (unordered(word.write, by) && !(access == kAtomic && word.write.atomic)) other = &word.write;
    if (access != kRead && unordered(word.read, by)) other = &word.read;
    if (other) {
      return "race on shared word " + std::to_string(4 * w) + ": " + (access == kRead ? "read" : "written") +
             " by thread " + std::to_string(by.thread) + " and " + (other == &word.read ? "read" : "written") +
             " by thread " + std::to_string(other->by.thread) + " at line " + std::to_string(other->by.line) +
             " without a barrier between";
    }
    if (access == kRead) {
      add_reader(word.read, by);
    } else {
      word.write.by = by;
      word.write.set = true;
      word.write.atomic = access == kAtomic;
    }
  }
  return "";
}

}  // namespace ptx
