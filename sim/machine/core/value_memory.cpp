#include "sim/machine/core/value_memory.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "sim/base/error.h"

namespace tilewright {

void DramImage::Free::operator()(std::byte* memory) const { std::free(memory); }

DramImage::DramImage(const std::vector<Segment>& segments) {
  std::vector<std::pair<Address, Address>> ranges;
  for (const Segment& segment : segments) {
    if (segment.bytes > 0) ranges.emplace_back(segment.address, segment.address + segment.bytes);
  }
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 0; i < ranges.size();) {
    Address end = ranges[i].second;
    std::size_t next = i + 1;
    for (; next < ranges.size() && ranges[next].first <= end; ++next) end = std::max(end, ranges[next].second);
    add(ranges[i].first, end);
    i = next;
  }
}

void DramImage::add(Address begin, Address end) {
  auto* memory = static_cast<std::byte*>(std::calloc(static_cast<std::size_t>(end - begin), 1));
  if (!memory) throw std::bad_alloc();
  extents_.push_back({begin, end, std::unique_ptr<std::byte, Free>(memory)});
}

std::byte* DramImage::at(Address address, Bytes bytes) {
  const auto holds = [&](const Extent& extent) { return address >= extent.begin && address + bytes <= extent.end; };
  if (last_ >= extents_.size() || !holds(extents_[last_])) {
    const auto after = std::upper_bound(extents_.begin(), extents_.end(), address,
                                        [](Address value, const Extent& extent) { return value < extent.begin; });
    SIM_CHECK(after != extents_.begin() && holds(*std::prev(after)), "{} bytes at DRAM address {} are in no segment",
              bytes, address);
    last_ = static_cast<std::size_t>(std::prev(after) - extents_.begin());
  }
  return extents_[last_].memory.get() + (address - extents_[last_].begin);
}

std::byte* CoreMemory::at(Space space, Address address, Bytes bytes) {
  if (space == Space::kDram) return dram->at(address, bytes);
  std::vector<std::byte>* memory = cluster;
  if (space == Space::kBufferA) memory = &buffer_a;
  if (space == Space::kBufferB) memory = &buffer_b;
  if (space == Space::kAccumulator) memory = &accumulator;
  SIM_CHECK(memory && address >= 0 && address + bytes <= static_cast<Bytes>(memory->size()),
            "{} bytes at {} address {}", bytes, name_of(space), address);
  return memory->data() + address;
}

}  // namespace tilewright
