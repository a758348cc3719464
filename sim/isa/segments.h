// Finds the segment of a DRAM address.
#pragma once

#include <vector>

#include "sim/isa/program.h"

namespace tilewright {

class SegmentTable {
 public:
  explicit SegmentTable(const Program& program);

  // Index of the segment that holds [low, high) entirely, or -1.
  int find(Address low, Address high) const;
  const Segment& operator[](int index) const { return segments_[index]; }
  // Indices by rising address.
  const std::vector<int>& by_address() const { return by_address_; }

 private:
  const std::vector<Segment>& segments_;
  std::vector<int> by_address_;
};

}  // namespace tilewright
