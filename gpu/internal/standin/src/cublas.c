// A stand-in for cuBLAS: the functions that package cublas calls, computed on the host
// by their definition. Device memory is read and written by the driver's copies, so
// that ranges, the current context and the order of the stream are checked by it.
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, EXECUTION_FAILED = 13, NOT_SUPPORTED = 15 };
enum { R_32F = 0, R_16BF = 14 };
enum { COMPUTE_32F = 68, COMPUTE_FAST_16BF = 75, COMPUTE_FAST_TF32 = 77 };

struct handle {
  void* stream;
  uint64_t workspace;
};

static int (*copy_to_host)(void*, uint64_t, size_t, void*);
static int (*copy_to_device)(uint64_t, const void*, size_t, void*);
static _Atomic int handles, products, refuse; // streams of several threads work at once

// stand_in_driver says which driver has the memory.
EXPORT int stand_in_driver(const char* path) {
  void* driver = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!driver) return 0;
  copy_to_host = (int (*)(void*, uint64_t, size_t, void*))dlsym(driver, "cuMemcpyDtoHAsync_v2");
  copy_to_device = (int (*)(uint64_t, const void*, size_t, void*))dlsym(driver, "cuMemcpyHtoDAsync_v2");
  return copy_to_host && copy_to_device;
}

// stand_in_handles returns how many handles there are.
EXPORT int stand_in_handles(void) { return handles; }

// stand_in_products returns how many products were asked for.
EXPORT int stand_in_products(void) { return products; }

// stand_in_refuse lets the next creation of a handle, or setting of its stream or its
// workspace, or product, fail with a status; which is 0, 1, 2 or 3.
static int refused_status;
EXPORT void stand_in_refuse(int which, int status) {
  refused_status = status;
  refuse = which + 1;
}

static int refused(int which) {
  if (refuse != which + 1) return 0;
  refuse = 0;
  return refused_status;
}

EXPORT int cublasGetProperty(int which, int* value) {
  if (which < 0 || which > 2) return INVALID_VALUE;
  *value = (int[]){13, 4, 1}[which];
  return SUCCESS;
}

EXPORT int cublasCreate_v2(struct handle** h) {
  int status = refused(0);
  if (status) return status;
  *h = calloc(1, sizeof **h);
  handles++;
  return SUCCESS;
}

EXPORT int cublasDestroy_v2(struct handle* h) {
  if (!h) return NOT_INITIALIZED;
  free(h);
  handles--;
  return SUCCESS;
}

EXPORT int cublasSetStream_v2(struct handle* h, void* stream) {
  int status = refused(1);
  if (status) return status;
  h->stream = stream;
  h->workspace = 0;
  return SUCCESS;
}

EXPORT int cublasSetWorkspace_v2(struct handle* h, uint64_t address, size_t size) {
  int status = refused(2);
  if (status) return status;
  uint8_t end;
  int failed = size == 0 || copy_to_host(&end, address, 1, h->stream) || copy_to_host(&end, address + size - 1, 1, h->stream);
  if (failed || address % 256 != 0) return INVALID_VALUE;
  h->workspace = address;
  return SUCCESS;
}

// significant rounds to so many significant bits, ties to even.
static float significant(float x, int bits) {
  uint32_t word;
  memcpy(&word, &x, 4);
  int drop = 24 - bits;
  if (drop > 0) {
    word += ((1u << (drop - 1)) - 1) + ((word >> drop) & 1);
    word &= ~0u << drop;
  }
  memcpy(&x, &word, 4);
  return x;
}

// fetch copies a column-major matrix to the host as float32, rounded.
static float* fetch(const struct handle* h, uint64_t address, int type, int64_t rows, int64_t columns, int64_t ld, int bits) {
  int64_t count = (columns - 1) * ld + rows, size = type == R_16BF ? 2 : 4;
  void* raw = malloc(count * size);
  if (copy_to_host(raw, address, count * size, h->stream)) {
    free(raw);
    return NULL;
  }
  float* x = malloc(count * sizeof *x);
  for (int64_t i = 0; i < count; i++) {
    if (type == R_16BF) {
      uint32_t word = (uint32_t)((uint16_t*)raw)[i] << 16;
      memcpy(&x[i], &word, 4);
    } else {
      x[i] = significant(((float*)raw)[i], bits);
    }
  }
  free(raw);
  return x;
}

struct operand {
  int transposed;
  uint64_t address;
  int64_t ld;
};

static float element(const struct operand* o, const float* x, int64_t i, int64_t j) {
  return o->transposed ? x[i * o->ld + j] : x[j * o->ld + i];
}

static int gemm(struct handle* h, struct operand a, struct operand b, int type, int bits, int64_t m, int64_t n, int64_t k,
                float alpha, float beta, uint64_t c, int64_t ldc) {
  int status = refused(3);
  if (status) return status;
  products++;
  if (!h || !h->stream || !h->workspace) return NOT_INITIALIZED;
  if (m < 0 || n < 0 || k < 0 || a.ld < 1 || a.ld < (a.transposed ? k : m) || b.ld < (b.transposed ? n : k) || ldc < 1 || ldc < m)
    return INVALID_VALUE;
  if (m == 0 || n == 0) return SUCCESS;
  float *x = NULL, *y = NULL, *z = fetch(h, c, R_32F, m, n, ldc, 24);
  if (k > 0) {
    x = fetch(h, a.address, type, a.transposed ? k : m, a.transposed ? m : k, a.ld, bits);
    y = fetch(h, b.address, type, b.transposed ? n : k, b.transposed ? k : n, b.ld, bits);
  }
  if (!z || (k > 0 && (!x || !y))) return EXECUTION_FAILED;
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i < m; i++) {
      float sum = 0;
      for (int64_t l = 0; l < k; l++) sum = fmaf(element(&a, x, i, l), element(&b, y, l, j), sum);
      z[j * ldc + i] = alpha * sum + (beta == 0 ? 0 : beta * z[j * ldc + i]);
    }
  }
  status = copy_to_device(c, z, ((n - 1) * ldc + m) * sizeof *z, h->stream) ? EXECUTION_FAILED : SUCCESS;
  free(x), free(y), free(z);
  return status;
}

EXPORT int cublasSgemm_v2(struct handle* h, int op_a, int op_b, int m, int n, int k, const float* alpha, uint64_t a, int lda,
                          uint64_t b, int ldb, const float* beta, uint64_t c, int ldc) {
  struct operand x = {op_a, a, lda}, y = {op_b, b, ldb};
  return gemm(h, x, y, R_32F, 24, m, n, k, *alpha, *beta, c, ldc);
}

EXPORT int cublasGemmEx(struct handle* h, int op_a, int op_b, int m, int n, int k, const void* alpha, uint64_t a, int type_a,
                        int lda, uint64_t b, int type_b, int ldb, const void* beta, uint64_t c, int type_c, int ldc,
                        int compute, int algorithm) {
  struct operand x = {op_a, a, lda}, y = {op_b, b, ldb};
  if (type_c != R_32F || type_a != type_b || algorithm != -1) return NOT_SUPPORTED;
  if (type_a == R_16BF && compute != COMPUTE_32F) return NOT_SUPPORTED;
  if (type_a != R_16BF && type_a != R_32F) return NOT_SUPPORTED;
  int bits = compute == COMPUTE_FAST_TF32 ? 11 : compute == COMPUTE_FAST_16BF ? 8 : 24;
  if (bits == 24 && compute != COMPUTE_32F) return NOT_SUPPORTED;
  return gemm(h, x, y, type_a, bits, m, n, k, *(const float*)alpha, *(const float*)beta, c, ldc);
}
