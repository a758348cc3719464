// x / c with a known c is x * (1 / c), in the passes of a multiplication: the scale of attention's scores, which
// exporters write as a division by the root of the head's width. Compilers do the same to floats (XLA's algebraic
// simplifier).
#pragma once

#include <cstddef>

#include "planner/graph/graph_edit.h"
#include "sim/base/data_type.h"

namespace tilewright {

// Makes operator `op` a multiplication, where it is a division of floats by a constant of one element. `network`: the
// type of floats, in which c is known; 1 / c is kept in fp32, so that results differ by a rounding of fp32 at most, and
// not at all where c is a power of two.
void multiply_by_reciprocal(GraphEdit& edit, std::size_t op, DataType network);

}  // namespace tilewright
