// The CUDA dialect of this module's kernels: what clang offers without the CUDA
// toolkit, under the names that CUDA programmers know.
#pragma once

#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE static inline __attribute__((device, always_inline))
#define SHARED __attribute__((shared))
#define THREADS(n) __attribute__((launch_bounds(n)))
#define RESTRICT __restrict
#define UNROLL _Pragma("unroll")

// Memory accesses of 16 bytes; addresses must be multiples of 16.
typedef float float4 __attribute__((ext_vector_type(4)));

struct Index {
  int x, y, z;
};

DEVICE Index thread_index() {
  return {__nvvm_read_ptx_sreg_tid_x(), __nvvm_read_ptx_sreg_tid_y(), __nvvm_read_ptx_sreg_tid_z()};
}
DEVICE Index block_index() {
  return {__nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ctaid_y(), __nvvm_read_ptx_sreg_ctaid_z()};
}
DEVICE Index block_size() {
  return {__nvvm_read_ptx_sreg_ntid_x(), __nvvm_read_ptx_sreg_ntid_y(), __nvvm_read_ptx_sreg_ntid_z()};
}

DEVICE void synchronize_block() { __syncthreads(); }
DEVICE void synchronize_warp() { __nvvm_bar_warp_sync(0xffffffff); }
DEVICE float shuffle_xor(float v, int lanes) { return __nvvm_shfl_sync_bfly_f32(0xffffffff, v, lanes, 31); }
DEVICE float shuffle_down(float v, int lanes) { return __nvvm_shfl_sync_down_f32(0xffffffff, v, lanes, 31); }
DEVICE void atomic_add(float* p, float v) { __nvvm_atom_add_gen_f(p, v); }
DEVICE int atomic_add(int* p, int v) { return __nvvm_atom_add_gen_i(p, v); }

DEVICE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEVICE float abs(float a) { return __builtin_fabsf(a); }
DEVICE float min(float a, float b) { return __builtin_fminf(a, b); }
DEVICE float max(float a, float b) { return __builtin_fmaxf(a, b); }
DEVICE float sqrt(float a) { return __nvvm_sqrt_rn_f(a); }
DEVICE float round_to_even(float a) { return __builtin_rintf(a); }
DEVICE float copy_sign(float magnitude, float sign) { return __builtin_copysignf(magnitude, sign); }
DEVICE unsigned bits_of(float a) { return __builtin_bit_cast(unsigned, a); }
DEVICE float float_of(unsigned bits) { return __builtin_bit_cast(float, bits); }

// Instructions that are fast and not exact.
DEVICE float exp2_approximate(float a) { return __nvvm_ex2_approx_f(a); }
DEVICE float log2_approximate(float a) { return __nvvm_lg2_approx_f(a); }
DEVICE float reciprocal_root_approximate(float a) { return __nvvm_rsqrt_approx_f(a); }
