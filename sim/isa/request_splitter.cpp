#include "sim/isa/request_splitter.h"

#include <algorithm>

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

namespace {

Bytes to_boundary(Address address, Bytes boundary) { return boundary - address % boundary; }

}  // namespace

RequestLimits dram_request_limits(const Hardware& hardware, const DmaSpec& engine) {
  return {engine.request_bytes, hardware.dram.interleave_bytes, hardware.dram.burst_bytes};
}

RequestLimits dram_request_limits(const Hardware& hardware) { return dram_request_limits(hardware, hardware.core.dma); }

RequestSplitter::RequestSplitter(const RunWalker& runs, const RequestLimits& limits) : runs_(runs), limits_(limits) {
  cut_piece();
}

void RequestSplitter::cut_piece() {
  if (runs_.done()) {
    piece_ = Run{};
    return;
  }
  const Run run = runs_.current();
  const Address start = run.address + used_;
  const Bytes left = run.bytes - used_;
  const Bytes limit = std::min(to_boundary(start, limits_.request_bytes), to_boundary(start, limits_.chunk_bytes));
  piece_ = {start, std::min(left, limit)};
  used_ += piece_.bytes;
  if (used_ == run.bytes) {
    runs_.advance();
    used_ = 0;
  }
}

// A request that stays inside one burst takes in the next piece when that lies in the same burst, behind it.
bool RequestSplitter::joins(const PlainRequest& request) const {
  if (piece_.bytes == 0 || piece_.address < request.address) return false;
  const Address burst = request.address / limits_.burst_bytes;
  return (piece_.address + piece_.bytes - 1) / limits_.burst_bytes == burst &&
         (request.address + request.bytes - 1) / limits_.burst_bytes == burst;
}

PlainRequest RequestSplitter::next() {
  PlainRequest request{piece_.address, piece_.bytes, piece_.bytes};
  cut_piece();
  while (joins(request)) {
    request.bytes = std::max(request.bytes, piece_.address + piece_.bytes - request.address);
    request.useful += piece_.bytes;
    cut_piece();
  }
  return request;
}

}  // namespace tilewright
