#include "sim/isa/link/segment_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr Bytes kLeastStep = 64 << 10;

// Whole rounds of interleave chunks over a region's channels: what moves so far stays in its channels.
Bytes step_of(const DramSpec& dram) {
  return round_up<Bytes>(kLeastStep, dram.interleave_bytes * (dram.channels / dram.regions));
}

// Of a segment that two parts share; nothing where the second would not find what it is to be given.
std::optional<SegmentKind> joined_kind(SegmentKind before, SegmentKind here) {
  using enum SegmentKind;
  if (before == kOutput) return here == kInput || here == kState ? std::optional(kOutput) : std::nullopt;
  if (before == here && (here == kInput || here == kConstant || here == kState)) return here;
  const bool state = (before == kInput && here == kState) || (before == kState && here == kInput);
  return state ? std::optional(kState) : std::nullopt;
}

}  // namespace

void SegmentJoin::add(const LinkedPart& part) {
  moves_.clear();
  for (const Segment& segment : part.program.segments) {
    if (segment.kind == SegmentKind::kInstructions) continue;
    const Bytes by = segments_[place_of(segment, part.source)].address - segment.address;
    moves_[segment.address] = {segment.address + segment.bytes, by};
  }
}

std::size_t SegmentJoin::place_of(const Segment& segment, const std::string& source) {
  if (segment.kind == SegmentKind::kHidden) {
    Segment own = segment;
    own.name = unused_name(segment.name);
    return place(std::move(own), source);
  }
  const auto known = by_name_.find(segment.name);
  if (known == by_name_.end()) return place(segment, source);
  join(segments_[known->second], segment, source);
  return known->second;
}

// An output that a later part reads or goes on with stays one: whether somebody else wants it is not known here.
void SegmentJoin::join(Segment& joined, const Segment& segment, const std::string& source) {
  const std::string& before = origin_.at(segment.name);
  if (joined.kind == SegmentKind::kHidden)
    throw UserError(source, fmt::format("segment '{}' is a hidden one of {}", segment.name, before));
  if (joined.bytes != segment.bytes || joined.type != segment.type)
    throw UserError(source,
                    fmt::format("segment '{}' has {} bytes of {}, but {} of {} in {}", segment.name, segment.bytes,
                                name_of(segment.type), joined.bytes, name_of(joined.type), before));
  if (const auto kind = joined_kind(joined.kind, segment.kind)) {
    joined.kind = *kind;
    return;
  }
  throw UserError(source, fmt::format("segment '{}' is '{}' here and '{}' in {}, which runs before", segment.name,
                                      name_of(segment.kind), name_of(joined.kind), before));
}

std::size_t SegmentJoin::place(Segment segment, const std::string& source) {
  segment.address = free_address(segment, source);
  taken_[segment.address] = segment.address + segment.bytes;
  by_name_[segment.name] = segments_.size();
  origin_[segment.name] = source;
  segments_.push_back(std::move(segment));
  return segments_.size() - 1;
}

Address SegmentJoin::add_instructions(const std::string& name, Bytes bytes, Address near) {
  const Segment segment{unused_name(name), SegmentKind::kInstructions, DataType::kInt8, near, bytes};
  return segments_[place(segment, name)].address;
}

Address SegmentJoin::end_of_neighbour(Address low, Bytes bytes) const {
  const auto after = taken_.lower_bound(low + bytes);
  if (after == taken_.begin()) return low;
  return std::max(low, std::prev(after)->second);
}

Address SegmentJoin::free_address(const Segment& segment, const std::string& source) const {
  const Bytes region = hardware_.dram.region_capacity(), step = step_of(hardware_.dram);
  const Address begin = segment.address / region * region, end = begin + region;
  for (const Address from : {segment.address, begin + (segment.address - begin) % step}) {
    Address address = from;
    while (address + segment.bytes <= end) {
      const Address past = end_of_neighbour(address, segment.bytes);
      if (past == address) return address;
      address += round_up<Bytes>(past - address, step);
    }
  }
  throw UserError(source, fmt::format("no room for segment '{}' of {} bytes in the DRAM region of {} bytes at {:#x}",
                                      segment.name, segment.bytes, region, begin));
}

std::string SegmentJoin::unused_name(const std::string& name) const {
  if (!by_name_.contains(name)) return name;
  for (int i = 2;; ++i)
    if (std::string other = fmt::format("{}.{}", name, i); !by_name_.contains(other)) return other;
}

Address SegmentJoin::moved(Address address) const {
  const auto after = moves_.upper_bound(address);
  if (after == moves_.begin()) return address;
  const Move& move = std::prev(after)->second;
  return address < move.end ? address + move.by : address;
}

}  // namespace tilewright
