#include "sim/isa/request_splitter.h"

#include <algorithm>

namespace tilewright {
namespace {

Bytes to_boundary(Address address, Bytes boundary) { return boundary - address % boundary; }

}  // namespace

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
