#include "sim/machine/memory/cache_array.h"

namespace tilewright {

CacheArray::CacheArray(Bytes capacity, Bytes line_bytes, int ways)
    : sets_(ways > 0 ? capacity / (line_bytes * ways) : 0),
      ways_per_set_(ways),
      ways_(static_cast<std::size_t>(sets_ * ways_per_set_)) {}

void CacheArray::clear() {
  constant_epoch_ = written_epoch_ = ++epoch_;
  clock_ = 0;
}

void CacheArray::drop_written() { written_epoch_ = ++epoch_; }

CacheArray::Way* CacheArray::find(Address line) {
  if (sets_ == 0) return nullptr;
  Way* way = first_way(line);
  for (int i = 0; i < ways_per_set_; ++i) {
    if (way[i].line == line && valid(way[i])) return &way[i];
  }
  return nullptr;
}

bool CacheArray::touch(Address line) {
  Way* way = find(line);
  if (way) way->used = ++clock_;
  return way != nullptr;
}

bool CacheArray::fill(Address line, bool constant) {
  if (sets_ == 0 || touch(line)) return false;
  Way* const set = first_way(line);
  Way* victim = set;
  for (int i = 0; i < ways_per_set_; ++i) {
    if (!valid(set[i])) {
      victim = &set[i];
      break;
    }
    if (set[i].used < victim->used) victim = &set[i];
  }
  const bool evicted = valid(*victim);
  *victim = {line, epoch_, ++clock_, constant};
  return evicted;
}

void CacheArray::drop(Address line) {
  if (Way* way = find(line)) way->epoch = 0;
}

}  // namespace tilewright
