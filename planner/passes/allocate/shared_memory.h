// Addresses that pieces of tensors take one after the other.
#pragma once

#include <algorithm>
#include <vector>

#include "planner/ir/lifetime.h"

namespace tilewright {

// Places in one memory for pieces that share it.
class SharedMemory {
 public:
  explicit SharedMemory(Bytes begin) : begin_(begin) {}
  // The lowest address from which `bytes` are free during `life`.
  Bytes lowest(Bytes bytes, const Lifetime& life) const {
    Bytes at = begin_;
    for (const Taken& taken : taken_) {
      if (!taken.life.meets(life)) continue;
      if (at + bytes <= taken.begin) break;
      at = std::max(at, taken.end);
    }
    return at;
  }
  void take(Bytes begin, Bytes bytes, const Lifetime& life) {
    const auto behind = std::find_if(taken_.begin(), taken_.end(), [&](const Taken& t) { return t.begin > begin; });
    taken_.insert(behind, {begin, begin + bytes, life});
  }

 private:
  struct Taken {
    Bytes begin, end;
    Lifetime life;
  };
  Bytes begin_;
  std::vector<Taken> taken_;  // by address
};

}  // namespace tilewright
