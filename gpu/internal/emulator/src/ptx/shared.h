// The shared memory of a block, with a check for races.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptx {

// Accessor is a thread at one moment. Barriers of the block and of the warp start
// new phases; accesses in different phases are ordered.
struct Accessor {
  uint32_t thread = 0, warp = 0;
  uint32_t block_phase = 0, warp_phase = 0;
  int line = 0;
};

// SharedMemory is checked word by word: two threads may touch a word in the same
// phase only if both read it, or both by atomics.
class SharedMemory {
 public:
  explicit SharedMemory(uint64_t size);

  uint64_t size() const { return bytes_.size(); }
  // at returns the place of an access, or null if it is out of bounds.
  uint8_t* at(uint64_t offset, uint64_t size);

  enum Access { kRead, kWrite, kAtomic };
  // note records an access. It returns a description of the race that it is part
  // of, or an empty string.
  std::string note(uint64_t offset, uint64_t size, Access access, const Accessor& by);

 private:
  // Mark is the last access of a kind to a word. Of several readers it remembers
  // one and whether there were others.
  struct Mark {
    Accessor by;
    bool set = false, atomic = false, several = false, several_warps = false;
  };
  struct Word {
    Mark read, write;
  };

  static bool unordered(const Mark& mark, const Accessor& by);
  static void add_reader(Mark& mark, const Accessor& by);

  std::vector<uint8_t> bytes_;
  std::vector<Word> words_;
};

}  // namespace ptx
