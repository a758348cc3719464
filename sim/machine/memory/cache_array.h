// Tags of a set-associative cache with least-recently-used replacement. Dropping lines costs nothing: a line is valid
// only in the epoch it was filled in.
#pragma once

#include <vector>

#include "sim/base/units.h"

namespace tilewright {

class CacheArray {
 public:
  // capacity / (ways * line_bytes) sets; a capacity of 0 never holds anything.
  CacheArray(Bytes capacity, Bytes line_bytes, int ways);

  void clear();         // drops everything
  void drop_written();  // drops the lines filled with `constant` false
  // Is the line that holds `line` (a line number: address / line_bytes) present? Makes it the youngest.
  bool touch(Address line);
  // Takes the line in, in place of the oldest of its set. Returns whether a valid line had to go.
  bool fill(Address line, bool constant);
  void drop(Address line);

 private:
  struct Way {
    Address line = -1;
    std::int64_t epoch = 0;  // of filling; 0: never
    std::int64_t used = 0;
    bool constant = false;
  };

  bool valid(const Way& way) const { return way.epoch >= (way.constant ? constant_epoch_ : written_epoch_); }
  Way* find(Address line);
  Way* first_way(Address line) { return &ways_[static_cast<std::size_t>(line % sets_) * ways_per_set_]; }

  const std::int64_t sets_;
  const int ways_per_set_;
  std::vector<Way> ways_;
  std::int64_t epoch_ = 1, constant_epoch_ = 1, written_epoch_ = 1, clock_ = 0;
};

}  // namespace tilewright
