// What the vector unit is spared where it has more to do with a block of a chain than the array: in attention it goes
// over the scores some eight times while the array computes them and what they weigh.
#pragma once

#include "planner/emit/chain/chain.h"

namespace tilewright {

struct VectorRelief {
  // The sums of a softmax's rows are products with a one (row_sums.h), of every softmax between two products.
  bool sums_on_array = false;
  // A known factor of the first product's result (Chain::factor()) is one of its rows of A, which are fewer elements.
  bool factor_on_rows = false;
};

// By what keeps the units of a core busier.
VectorRelief vector_relief(const Chain& chain, const ChainBlocks& blocks);

}  // namespace tilewright
