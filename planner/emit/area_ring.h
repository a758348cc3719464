// Parts of a tensor in areas of on-chip memory used in turn, remembered by key so that nothing is loaded twice while it
// is still there. An area may be filled in strips, each with its own slot.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/emit/pipeline.h"

namespace tilewright {

class AreaRing {
 public:
  using Key = std::vector<std::int64_t>;

  // `copies` areas of `area` bytes from `base` on; strips lie `strip` bytes apart.
  AreaRing(Pipeline& pipeline, Address base, Bytes area, Bytes strip, int copies);

  struct Found {
    Slot slot;
    Address address;
    bool fresh;  // not there yet: the caller loads it now
  };
  // The area with `key`; when there is none, the one used longest ago is given to it.
  Found find(const Key& key, std::int64_t strip = 0);
  // Whether an area has the key.
  bool holds(const Key& key) const;

 private:
  struct Entry {
    bool used = false;
    Key key;
    std::int64_t last_use = 0;
    std::vector<Slot> slots;
    std::vector<bool> loaded;
  };
  std::vector<Entry>::iterator replace(const Key& key);

  Pipeline& pipeline_;
  Address base_;
  Bytes area_, strip_;
  std::vector<Entry> entries_;
  std::int64_t clock_ = 0;
};

}  // namespace tilewright
