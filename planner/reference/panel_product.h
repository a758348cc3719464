// The inner product that matrix products and convolutions share: rows of A against a panel of kPanelWidth packed
// columns.
#pragma once

#include <cstdint>

namespace tilewright {

inline constexpr int kPanelWidth = 8;

// c[i * ldc + j] = sum over p < k of a[i * lda + p] * panel[p * kPanelWidth + j], for i < m and j < width.
// Every sum runs in ascending p with separate multiply and add, so the result does not depend on the machine.
void panel_product(const double* a, std::int64_t lda, const double* panel, std::int64_t m, std::int64_t k, int width,
                   double* c, std::int64_t ldc);

}  // namespace tilewright
