// One box on its way through the buffer, in the order in which the input lies in memory: a load and a store.
#pragma once

#include "planner/emit/copy/copy_box.h"
#include "planner/emit/copy/copy_tile.h"

namespace tilewright {

class Stage {
 public:
  // Through the buffer from element `base` on.
  Stage(const CopyBox& tile, std::int64_t base, const TileRules& rules);

  std::int64_t elements() const { return elements_; }  // of the buffer
  CopyBox load() const { return folded(load_); }
  CopyBox store() const { return folded(store_); }

 private:
  void add(const CopyLoop& loop);
  // Whether the loop starts again inside what the one before reads, right behind it, or behind a short gap.
  bool goes_on(const CopyLoop& loop) const;
  void lengthen(const CopyLoop& loop);

  const TileRules& rules_;
  CopyBox load_, store_;
  std::int64_t elements_ = 1;
};

}  // namespace tilewright
