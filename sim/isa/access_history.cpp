#include "sim/isa/access_history.h"

namespace tilewright {

bool AccessHistory::races(const Entry& entry, const Access& access, const ChipClocks& clocks) const {
  const Access& before = entry.access;
  if (!before.write && !access.write) return false;
  if (before.footprint.high() <= access.footprint.low() || access.footprint.high() <= before.footprint.low()) {
    return false;
  }
  return !clocks.ordered(before.stamp, access.stamp) && touches(before.footprint, access.footprint);
}

bool AccessHistory::replaces(const Access& access, const Entry& entry, const ChipClocks& clocks) const {
  const Access& before = entry.access;
  return (access.write || !before.write) && access.footprint.covers(before.footprint) &&
         clocks.ordered(before.stamp, access.stamp);
}

void AccessHistory::scan(List& list, const Access& access, const ChipClocks& clocks, std::optional<Access>& race) {
  std::size_t kept = 0;
  for (const std::uint32_t index : list) {
    Entry& entry = entries_[index];
    if (!entry.dead && entry.seen != number_) {
      entry.seen = number_;
      if (!race && races(entry, access, clocks)) race = entry.access;
      entry.dead = replaces(access, entry, clocks);
    }
    if (!entry.dead) list[kept++] = index;
  }
  list.resize(kept);
}

std::optional<Access> AccessHistory::add(const Access& access, const ChipClocks& clocks) {
  ++number_;
  std::optional<Access> race;
  const int first = bucket_of(access.footprint.low()), last = bucket_of(access.footprint.high() - 1);
  const auto index = static_cast<std::uint32_t>(entries_.size());
  for (int b = first; b <= last; ++b) {
    scan(buckets_[b].writes, access, clocks, race);
    scan(buckets_[b].reads, access, clocks, race);
    (access.write ? buckets_[b].writes : buckets_[b].reads).push_back(index);
  }
  entries_.push_back({access});
  return race;
}

}  // namespace tilewright
