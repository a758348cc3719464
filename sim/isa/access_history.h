// The reads and writes of one memory that a later access could still race with.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/isa/clocks.h"
#include "sim/isa/footprint.h"

namespace tilewright {

struct Access {
  Footprint footprint;
  Stamp stamp;
  int instruction = 0;
  bool write = false;
};

class AccessHistory {
 public:
  AccessHistory(Address low, Bytes bytes) : low_(low), grain_(std::max<Bytes>(1, ceil_div<Bytes>(bytes, kBuckets))) {}

  // Adds an access. Returns one before it on a common byte that is not ordered with it, one of the two writing.
  std::optional<Access> add(const Access& access, const ChipClocks& clocks);

 private:
  static constexpr int kBuckets = 64;
  using List = std::vector<std::uint32_t>;  // indices into accesses_
  struct Entry {
    Access access;
    std::uint32_t seen = 0;  // by the access of this number: met in an earlier bucket
    bool dead = false;
  };
  struct Bucket {
    List reads, writes;
  };

  int bucket_of(Address address) const { return static_cast<int>((address - low_) / grain_); }
  // Looks for a race in one list and drops what `access` replaces.
  void scan(List& list, const Access& access, const ChipClocks& clocks, std::optional<Access>& race);
  bool races(const Entry& entry, const Access& access, const ChipClocks& clocks) const;
  // Whether any later access that races with `entry` also races with `access`.
  bool replaces(const Access& access, const Entry& entry, const ChipClocks& clocks) const;

  Address low_;
  Bytes grain_;
  std::uint32_t number_ = 0;
  std::vector<Entry> entries_;
  std::array<Bucket, kBuckets> buckets_;
};

}  // namespace tilewright
