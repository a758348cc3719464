// The contiguous runs of a strided box, in order, made one at a time.
#pragma once

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

}  // namespace tilewright
