#include "sim/isa/run_walker.h"

namespace tilewright {

RunWalker::RunWalker(const Extents& extents, const Strides& strides, Address address, Bytes element)
    : address_(address), run_bytes_(element) {
  left_ = element_count(extents);
  if (left_ == 0) return;
  int inner = kBoxDims - 1;
  for (; inner >= 0; --inner) {
    if (extents[inner] == 1) continue;
    if (strides[inner] != run_bytes_) break;
    run_bytes_ *= extents[inner];
    left_ /= extents[inner];
  }
  for (int d = 0; d <= inner; ++d) {
    if (extents[d] == 1) continue;
    extent_[dims_] = extents[d];
    stride_[dims_++] = strides[d];
  }
}

void RunWalker::advance() {
  --left_;
  for (int d = dims_ - 1; d >= 0; --d) {
    address_ += stride_[d];
    if (++index_[d] < extent_[d]) return;
    address_ -= stride_[d] * extent_[d];
    index_[d] = 0;
  }
}

std::int64_t element_count(const Extents& extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  return count;
}

Extents unpadded(const Transfer& transfer) {
  Extents extents = transfer.shape;
  for (int d = 0; d < kBoxDims; ++d) extents[d] -= transfer.pad_low[d] + transfer.pad_high[d];
  return extents;
}

}  // namespace tilewright
