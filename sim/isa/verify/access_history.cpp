#include "sim/isa/verify/access_history.h"

namespace tilewright {

bool AccessHistory::replaces(const Access& access, const Access& before, const ChipClocks& clocks) {
  return (access.write || !before.write) && access.footprint.covers(before.footprint) &&
         clocks.ordered(before.stamp, access.stamp);
}

// Whether the entry stays.
bool AccessHistory::look_at(std::uint32_t index, const Access& access, const ChipClocks& clocks,
                            std::optional<Access>& race) {
  Entry& entry = entries_[index];
  if (entry.dead || entry.seen == number_) return !entry.dead;
  entry.seen = number_;
  const Access& before = entry.access;
  if (!race && (before.write || access.write) && !clocks.ordered(before.stamp, access.stamp) &&
      touches(before.footprint, access.footprint)) {
    race = before;
  }
  entry.dead = replaces(access, before, clocks);
  if (entry.dead) replaced_.push_back(index);
  return !entry.dead;
}

void AccessHistory::scan(List& list, const Access& access, const ChipClocks& clocks, std::optional<Access>& race) {
  const Address low = access.footprint.low(), high = access.footprint.high();
  std::size_t kept = 0;
  for (const Reference reference : list) {
    const bool apart = reference.high <= low || high <= reference.low;
    if (apart || look_at(reference.index, access, clocks, race)) list[kept++] = reference;
  }
  list.resize(kept);
}

std::uint32_t AccessHistory::place(const Access& access) {
  if (free_.empty()) {
    entries_.push_back({access});
    return static_cast<std::uint32_t>(entries_.size() - 1);
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  entries_[index] = {access};
  return index;
}

// All buckets of a replaced entry are among those of the access that covers it, so afterwards its slot is free.
std::optional<Access> AccessHistory::add(const Access& access, const ChipClocks& clocks) {
  ++number_;
  std::optional<Access> race;
  const Address low = access.footprint.low(), high = access.footprint.high();
  const int first = bucket_of(low), last = bucket_of(high - 1);
  for (int b = first; b <= last; ++b) {
    scan(buckets_[b].writes, access, clocks, race);
    if (access.write || forget_reads_) scan(buckets_[b].reads, access, clocks, race);
  }
  const std::uint32_t index = place(access);
  for (int b = first; b <= last; ++b) {
    (access.write ? buckets_[b].writes : buckets_[b].reads).push_back({low, high, index});
  }
  free_.insert(free_.end(), replaced_.begin(), replaced_.end());
  replaced_.clear();
  return race;
}

}  // namespace tilewright
