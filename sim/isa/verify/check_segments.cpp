#include <fmt/format.h>

#include "sim/isa/segments.h"
#include "sim/isa/verify/violations.h"

namespace tilewright {
namespace {

std::string segment_fault(const Segment& s, const DramSpec& dram) {
  if (s.bytes < 1) return fmt::format("segment '{}' has {} bytes, at least 1 is expected", s.name, s.bytes);
  if (s.address < 0 || s.address >= dram.capacity() || s.bytes > dram.capacity() - s.address) {
    return fmt::format("segment '{}' at {:#x} with {} bytes leaves the DRAM of {} bytes", s.name, s.address, s.bytes,
                       dram.capacity());
  }
  const Bytes region = dram.region_capacity();
  if (s.address / region != (s.address + s.bytes - 1) / region) {
    return fmt::format("segment '{}' at {:#x} with {} bytes lies in more than one DRAM region of {} bytes", s.name,
                       s.address, s.bytes, region);
  }
  return {};
}

}  // namespace

void check_segments(const Program& program, const Hardware& hardware, Violations& violations) {
  for (const Segment& segment : program.segments) {
    std::string fault = segment_fault(segment, hardware.dram);
    if (!fault.empty()) violations.add(-1, -1, std::move(fault));
  }
  if (!violations.empty()) return;
  const SegmentTable table(program);
  const std::vector<int>& order = table.by_address();
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Segment &before = table[order[i - 1]], &after = table[order[i]];
    if (before.address + before.bytes <= after.address) continue;
    violations.add(-1, -1,
                   fmt::format("segments '{}' and '{}' overlap at {:#x}", before.name, after.name, after.address));
  }
}

}  // namespace tilewright
