// Where to cut loops so that a division stays linear: inside a box, floor(e / size) and e mod size of a linear
// expression e are linear when no sum of its remainders carries.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright {

// constant + sum of factor[i] * (iteration of loop i); nothing is negative.
struct Linear {
  std::int64_t constant = 0;
  std::vector<std::int64_t> factor;
};

// A change to one loop that brings a division closer to not carrying.
struct LoopCut {
  enum class Kind {
    kBreak,  // iterations before `at`, and those from it on
    kNest,   // the loop becomes two, the inner one of `at` iterations (which divide the loop's)
  };
  Kind kind;
  std::size_t loop;
  std::int64_t at;
};

// The next cut for e / size over loops of `counts` iterations; nothing when no carry is left. Cuts lie at the borders
// of the division where the loops meet them in step; else at its period and, inside that, at every border. So the
// number of cuts depends on the size divided by, not on the iterations.
std::optional<LoopCut> next_cut(const std::vector<std::int64_t>& counts, const Linear& e, std::int64_t size);

}  // namespace tilewright
