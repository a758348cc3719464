// The way from an element number of a tensor to its place in memory, as steps of division: what a split into strided
// boxes has to respect are the borders at which such a division carries.
#pragma once

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

}  // namespace tilewright
