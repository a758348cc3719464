// Which units of a core compute the multiply-adds of a contraction. An array holds one group of a convolution at a
// time: of a depthwise one a single row and as many columns as the kernel has positions. The vector unit's lanes run
// along the results of many groups. Where neither is much faster, some groups go to the one and some to the other.
#pragma once

#include "planner/ir/contraction.h"
#include "planner/ir/plan.h"

namespace tilewright {

// Passes over the vector unit's lanes that each result of a contraction costs; without epilogues its conversion.
std::int64_t epilogue_passes(const Plan& plan, const Operator& op);

// Instructions with which the vector unit computes as many groups as move together: one for each image, output channel
// and input channel of a group.
std::int64_t vector_instructions(const GemmShape& shape);

// Core clocks that all multiply-adds of a grouped convolution take on the vector unit, its groups at once.
double vector_time(const VectorSpec& spec, const GemmShape& shape);

// Core clocks that all multiply-adds of `shape` take on the unit that is faster: the vector unit only where groups
// are, of which the array may compute several output columns at a time (ir/abreast.h).
double compute_time(const Plan& plan, DataType type, const GemmShape& shape);

// Whether the vector unit is predicted to be done with all multiply-adds of a contraction, and what it does behind
// them, before the array would be, or later by less than constants().shared_units_gain.
bool computes_on_vector(const Plan& plan, const Operator& op);

// How a tile is computed, whose groups are not dealt to both units.
struct TileUnit {
  bool on_vector = false;
  std::int64_t abreast = 1;  // output columns at a time on the array (ir/abreast.h)
};
// Of a tile of `shape` of a part of a convolution.
TileUnit tile_unit(const Plan& plan, const Operator& op, const Contraction& part, const GemmShape& shape);

// What a part's multiply-adds are computed by.
struct UnitOptions {
  bool on_vector = false;  // all of them, where groups are not dealt to both units
  bool may_share = false;  // whether there are groups
  // Core clocks of one group: its products on the array or its sums on the vector unit, what the vector unit does
  // behind either, and its loads and stores.
  double array = 0, vector = 0, beside = 0, memory = 0;
  double tail = 0;  // behind the last product of the array: its way through it, and then the vector unit
};
UnitOptions unit_options(const Plan& plan, const Operator& op, const Contraction& part);

// How many groups of a tile the vector unit computes, all or none of them of what has no groups.
struct UnitShares {
  std::int64_t on_vector = 0, groups = 1;

  double vector() const { return static_cast<double>(on_vector) / static_cast<double>(groups); }
  // Of a tile of fewer groups.
  std::int64_t among(std::int64_t some) const { return on_vector * some / groups; }
};

// Of `groups` in tiles of `together`: as many with which both units are done with a tile together, where that is
// earlier than one of them alone by constants().shared_units_gain. Tiles of one group are not dealt in turn: a unit
// that works longer than the other would keep its loads waiting.
UnitShares unit_shares(const UnitOptions& options, std::int64_t groups, std::int64_t together);

// Whether the array computes any of a part.
bool array_computes(const Plan& plan, const Operator& op, const Contraction& part);

}  // namespace tilewright
