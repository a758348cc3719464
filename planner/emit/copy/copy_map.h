// The way from an element number of a tensor to its place in memory, as steps of division: what a split into strided
// boxes has to respect are the borders at which such a division carries.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/view/layout.h"
#include "planner/view/view.h"

namespace tilewright {

// One side of a copy: coordinate x is element view.element_at(x) of the tensor that lies in memory as `layout`.
// Memory may be cut into pieces (one per region of the chip) of `piece` elements that start `piece_stride` apart.
struct CopySide {
  Layout layout;
  View view;
  std::int64_t piece = 0, piece_stride = 0;  // 0: in one piece

  static CopySide whole(const Layout& layout) { return {layout, View::of(layout.shape()), 0, 0}; }
  std::int64_t piece_at(std::int64_t place) const { return piece == 0 ? 0 : place / piece_stride; }
  // The place of coordinate x, element by element: the definition of what a copy moves.
  std::int64_t place_of(const std::vector<std::int64_t>& x) const;
};

// Three numbers are carried along: the rest of the element number, a coordinate, and the place found so far.
struct MapStep {
  enum class Kind {
    kDimension,  // rest, coordinate = rest / size, rest % size
    kLast,       // coordinate = rest
    kBlock,      // coordinate /= size; place += remainder * stride
    kOuter,      // place += coordinate * stride
    kPiece,      // place = place / size * stride + place % size
  };
  Kind kind;
  std::int64_t size = 0, stride = 0;
};

// Neighbouring dimensions and blocks without a gap are one: a plain layout needs no division at all.
std::vector<MapStep> map_steps(const CopySide& side);

// Where to cut loops so that a division stays linear: inside a box, floor(e / size) and e mod size of a linear
// expression e are linear when no sum of its remainders carries.
//
// e: constant + sum of factor[i] * (iteration of loop i); nothing is negative.
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
