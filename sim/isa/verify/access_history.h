// The reads and writes of one memory that a later access could still race with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/isa/operand.h"
#include "sim/isa/verify/clocks.h"

namespace tilewright {

struct Access {
  Footprint footprint;
  Stamp stamp;
  int instruction = 0;
  bool write = false;
};

class AccessHistory {
 public:
  // A memory of `bytes` from `low`, looked up in `buckets` parts of equal size. With `forget_reads` a read replaces the
  // same read before it: worth the search where few reads are open, as in a core's buffers.
  AccessHistory(Address low, Bytes bytes, int buckets, bool forget_reads)
      : low_(low),
        chunk_(std::max<Bytes>(1, ceil_div<Bytes>(bytes, buckets))),
        forget_reads_(forget_reads),
        buckets_(buckets) {}

  // Adds an access. Returns one before it on a common byte that is not ordered with it, one of the two writing.
  std::optional<Access> add(const Access& access, const ChipClocks& clocks);

 private:
  // An entry in a bucket, with its range beside it so that most are passed over without looking further.
  struct Reference {
    Address low, high;
    std::uint32_t index;
  };
  using List = std::vector<Reference>;
  struct Entry {
    Access access;
    std::uint32_t seen = 0;  // by the access of this number: met in an earlier bucket
    bool dead = false;
  };
  struct Bucket {
    List reads, writes;
  };

  int bucket_of(Address address) const { return static_cast<int>((address - low_) / chunk_); }
  std::uint32_t place(const Access& access);
  // Looks for a race in one list and drops what `access` replaces.
  void scan(List& list, const Access& access, const ChipClocks& clocks, std::optional<Access>& race);
  bool look_at(std::uint32_t index, const Access& access, const ChipClocks& clocks, std::optional<Access>& race);
  // Whether any later access that races with `before` also races with `access`.
  static bool replaces(const Access& access, const Access& before, const ChipClocks& clocks);

  Address low_;
  Bytes chunk_;
  bool forget_reads_;
  std::uint32_t number_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_, replaced_;  // slots of entries_; replaced by the present access
  std::vector<Bucket> buckets_;
};

}  // namespace tilewright
