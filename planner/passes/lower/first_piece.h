// Where cores begin that read the same data, so that not all of them ask for the same piece at once: those that one
// read may serve (Hardware::load_group()) go together, groups in turn.
#pragma once

#include <cstddef>
#include <iterator>
#include <set>

namespace tilewright {

// Of `pieces` that groups go through in a circle, evenly apart in the order of `groups`: the one that `group` begins
// with.
inline std::size_t first_piece(const std::set<int>& groups, int group, std::size_t pieces) {
  return static_cast<std::size_t>(std::distance(groups.begin(), groups.find(group))) * pieces / groups.size();
}

}  // namespace tilewright
