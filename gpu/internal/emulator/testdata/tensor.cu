// Tensor cores, and copies in the background. One warp each.
#include "dialect.cuh"

DEVICE unsigned shared_address(const void* p) {
  return unsigned((unsigned long long)(__attribute__((address_space(3))) const void*)p);
}

DEVICE unsigned tf32(float x) {
  unsigned y;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
  return y;
}

DEVICE unsigned bf16_pair(float low, float high) {
  unsigned y;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
  return y;
}

// c += a b; c is 16 x 8, a 16 x 8, b 8 x 8, all row-major.
KERNEL THREADS(32) product_tf32(float* c, const float* a, const float* b) {
  int lane = thread_index().x, g = lane / 4, t = lane % 4;
  unsigned a0 = tf32(a[g * 8 + t]), a1 = tf32(a[(g + 8) * 8 + t]);
  unsigned a2 = tf32(a[g * 8 + t + 4]), a3 = tf32(a[(g + 8) * 8 + t + 4]);
  unsigned b0 = tf32(b[t * 8 + g]), b1 = tf32(b[(t + 4) * 8 + g]);
  float* low = c + g * 8 + 2 * t;
  float* high = low + 64;
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(low[0]), "+f"(low[1]), "+f"(high[0]), "+f"(high[1])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// The same for bf16; c is 16 x 8, a 16 x 16, b 16 x 8. The operands go through shared
// memory, from which ldmatrix takes them.
KERNEL THREADS(32) product_bf16(float* c, const float* a, const float* b) {
  SHARED static unsigned a_shared[16 * 8] __attribute__((aligned(16)));
  SHARED static unsigned b_shared[16 * 4] __attribute__((aligned(16)));
  int lane = thread_index().x;
  for (int i = lane; i < 16 * 8; i += 32) a_shared[i] = bf16_pair(a[2 * i], a[2 * i + 1]);
  for (int i = lane; i < 16 * 4; i += 32) b_shared[i] = bf16_pair(b[2 * i], b[2 * i + 1]);
  synchronize_block();
  unsigned x[4], y[2];
  unsigned a_row = shared_address(a_shared + lane % 16 * 8 + lane / 16 * 4);
  unsigned b_row = shared_address(b_shared + lane % 16 * 4);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(a_row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(b_row));
  float* low = c + lane / 4 * 8 + lane % 4 * 2;
  float* high = low + 64;
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(low[0]), "+f"(low[1]), "+f"(high[0]), "+f"(high[1])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}

template <int kPending>
DEVICE void reverse_through_shared(float* x) {
  SHARED static float s[3][128] __attribute__((aligned(16)));
  int lane = thread_index().x;
  for (int i = 0; i < 3; i++) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&s[i][4 * lane])), "l"(x + 128 * i + 4 * lane));
    asm volatile("cp.async.commit_group;");
  }
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending));
  synchronize_block();
  for (int i = 0; i < 3; i++) {
    for (int j = lane; j < 128; j += 32) x[128 * i + j] = s[i][127 - j];
  }
}

// Reverses three pieces of 128; the second waits for too few of them.
KERNEL THREADS(32) background_copy(float* x) { reverse_through_shared<0>(x); }
KERNEL THREADS(32) background_copy_too_early(float* x) { reverse_through_shared<1>(x); }
