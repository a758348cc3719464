#include "planner/emit/area_ring.h"

#include <algorithm>

namespace tilewright {

AreaRing::AreaRing(Pipeline& pipeline, Address base, Bytes area, Bytes strip, int copies)
    : pipeline_(pipeline), base_(base), area_(area), strip_(strip), entries_(copies) {}

AreaRing::Found AreaRing::find(const Key& key, std::int64_t strip) {
  auto it = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.used && e.key == key; });
  if (it == entries_.end()) it = replace(key);
  it->last_use = ++clock_;
  while (std::ssize(it->slots) <= strip) {
    it->slots.push_back(pipeline_.add_slot());
    it->loaded.push_back(false);
  }
  const bool fresh = !it->loaded[strip];
  it->loaded[strip] = true;
  return {it->slots[strip], base_ + (it - entries_.begin()) * area_ + strip * strip_, fresh};
}

bool AreaRing::holds(const Key& key) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.used && entry.key == key; });
}

std::vector<AreaRing::Entry>::iterator AreaRing::replace(const Key& key) {
  const auto it = std::min_element(entries_.begin(), entries_.end(),
                                   [](const Entry& a, const Entry& b) { return a.last_use < b.last_use; });
  it->used = true;
  it->key = key;
  it->loaded.assign(it->slots.size(), false);
  return it;
}

}  // namespace tilewright
