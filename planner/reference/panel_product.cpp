#include "planner/reference/panel_product.h"

#if defined(__x86_64__) && defined(__GNUC__)
// Wider registers where the machine has them; without fused multiply-add, so that all variants agree to the last bit.
#define TILEWRIGHT_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define TILEWRIGHT_VECTOR_CLONES
#endif

namespace tilewright {
namespace {

using Panel = double __attribute__((vector_size(kPanelWidth * sizeof(double)), aligned(8)));

void store(const Panel& sum, int width, double* c) {
  for (int j = 0; j < width; ++j) c[j] = sum[j];
}

TILEWRIGHT_VECTOR_CLONES
void four_rows(const double* a, std::int64_t lda, const double* panel, std::int64_t k, int width, double* c,
               std::int64_t ldc) {
  Panel s0{}, s1{}, s2{}, s3{};
  for (std::int64_t p = 0; p < k; ++p) {
    const Panel b = *reinterpret_cast<const Panel*>(panel + p * kPanelWidth);
    s0 += a[p] * b;
    s1 += a[lda + p] * b;
    s2 += a[2 * lda + p] * b;
    s3 += a[3 * lda + p] * b;
  }
  store(s0, width, c);
  store(s1, width, c + ldc);
  store(s2, width, c + 2 * ldc);
  store(s3, width, c + 3 * ldc);
}

TILEWRIGHT_VECTOR_CLONES
void one_row(const double* a, const double* panel, std::int64_t k, int width, double* c) {
  Panel sum{};
  for (std::int64_t p = 0; p < k; ++p) sum += a[p] * *reinterpret_cast<const Panel*>(panel + p * kPanelWidth);
  store(sum, width, c);
}

}  // namespace

void panel_product(const double* a, std::int64_t lda, const double* panel, std::int64_t m, std::int64_t k, int width,
                   double* c, std::int64_t ldc) {
  std::int64_t i = 0;
  for (; i + 4 <= m; i += 4) four_rows(a + i * lda, lda, panel, k, width, c + i * ldc, ldc);
  for (; i < m; ++i) one_row(a + i * lda, panel, k, width, c + i * ldc);
}

}  // namespace tilewright
