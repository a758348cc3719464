// How a strided box becomes memory requests: its contiguous runs, one at a time, cut where requests end and joined
// inside a burst.
#pragma once

#include <algorithm>

#include "sim/hw/config/hardware.h"
#include "sim/isa/instruction.h"

namespace tilewright {

struct Run {
  Address address = 0;
  Bytes bytes = 0;
};

class RunWalker {
 public:
  RunWalker() = default;
  // `extents` elements of `element` bytes from `address`, outermost dimension first. Dimensions that follow each other
  // in memory without a gap become one run. Any extent 0: no runs.
  RunWalker(const Extents& extents, const Strides& strides, Address address, Bytes element);

  bool done() const { return left_ == 0; }
  Run current() const { return {address_, run_bytes_}; }
  void advance();

  Bytes run_bytes() const { return run_bytes_; }
  std::int64_t runs_left() const { return left_; }

 private:
  int dims_ = 0;  // loops outside the run, outermost first
  Extents extent_{}, index_{};
  Strides stride_{};
  Address address_ = 0;
  Bytes run_bytes_ = 0;
  std::int64_t left_ = 0;
};

// Elements of a box.
std::int64_t element_count(const Extents& extents);
// The elements of a load that are really read: shape less padding.
Extents unpadded(const Transfer& transfer);

struct RequestLimits {
  Bytes request_bytes = 256;  // longest request; runs are cut at its multiples
  Bytes chunk_bytes = 256;    // no request crosses a multiple of it
  Bytes burst_bytes = 64;     // what memory moves at least

  Bytes longest() const { return std::min(request_bytes, chunk_bytes); }
};

// Of a DMA engine's requests to DRAM: of one of them, and of those of all cores alike.
RequestLimits dram_request_limits(const Hardware& hardware, const DmaSpec& engine);
RequestLimits dram_request_limits(const Hardware& hardware);

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
