// The filters of a convolution whose output columns are computed abreast (ir/abreast.h), as they lie in buffer A.
#pragma once

#include "planner/ir/contraction.h"

namespace tilewright {

// Makes `filters` those of one of `count` columns: a stride of the window further to the right for each, with zeros
// around. As they are where there is one.
void set_column(OperandBox& filters, const ConvShape& conv, std::int64_t count, std::int64_t column);

}  // namespace tilewright
