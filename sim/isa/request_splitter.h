// Turns a strided box into memory requests, one at a time: runs are cut at request and interleave boundaries, and
// neighbouring runs inside one burst become one request.
#pragma once

#include "sim/isa/run_walker.h"

namespace tilewright {

struct RequestLimits {
  Bytes request_bytes = 256;  // longest request; runs are cut at its multiples
  Bytes chunk_bytes = 256;    // no request crosses a multiple of it
  Bytes burst_bytes = 64;     // what memory moves at least
};

struct PlainRequest {
  Address address = 0;
  Bytes bytes = 0;   // from the first to the last byte wanted
  Bytes useful = 0;  // bytes wanted
};

class RequestSplitter {
 public:
  RequestSplitter() = default;
  RequestSplitter(const RunWalker& runs, const RequestLimits& limits);

  bool done() const { return piece_.bytes == 0; }
  // The next request; next() moves on.
  PlainRequest next();

 private:
  void cut_piece();
  bool joins(const PlainRequest& request) const;

  RunWalker runs_;
  RequestLimits limits_;
  Bytes used_ = 0;  // bytes of the current run already cut off
  Run piece_;       // cut off, not yet given out; 0 bytes: none left
};

}  // namespace tilewright
