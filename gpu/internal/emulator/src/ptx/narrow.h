// Formats narrower than float, in which tensor cores take their operands.
#pragma once

#include <bit>
#include <cstdint>

namespace ptx {

// to_bf16 rounds to 8 bits of significand, ties to even. A NaN stays one.
inline uint16_t to_bf16(float x) {
  uint32_t bits = std::bit_cast<uint32_t>(x);
  if (x != x) return 0x7fff;
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float from_bf16(uint32_t half) { return std::bit_cast<float>(half << 16); }

// to_tf32 rounds to 11 bits of significand, ties away from zero.
inline uint32_t to_tf32(float x) {
  uint32_t bits = std::bit_cast<uint32_t>(x);
  return x != x ? 0x7fffffff : (bits + 0x1000) & ~0x1fffu;
}

// from_tf32 is what a tensor core sees of a register: the lower bits are ignored.
inline float from_tf32(uint32_t bits) { return std::bit_cast<float>(bits & ~0x1fffu); }

}  // namespace ptx
