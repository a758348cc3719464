#include "sim/isa/program.h"

#include <algorithm>
#include <numeric>

namespace tilewright {

SegmentTable::SegmentTable(const Program& program) : segments_(program.segments), by_address_(segments_.size()) {
  std::iota(by_address_.begin(), by_address_.end(), 0);
  std::stable_sort(by_address_.begin(), by_address_.end(),
                   [&](int a, int b) { return segments_[a].address < segments_[b].address; });
}

int SegmentTable::find(Address low, Address high) const {
  const auto after = std::upper_bound(by_address_.begin(), by_address_.end(), low,
                                      [&](Address address, int index) { return address < segments_[index].address; });
  if (after == by_address_.begin()) return -1;
  const Segment& segment = segments_[*(after - 1)];
  return high <= segment.address + segment.bytes ? *(after - 1) : -1;
}

}  // namespace tilewright
