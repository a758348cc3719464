#include "planner/emit/filters_abreast.h"

namespace tilewright {

void set_column(OperandBox& filters, const ConvShape& conv, std::int64_t count, std::int64_t column) {
  if (count == 1) return;
  filters.region.pad_low = {0, 0, 0, column * conv.stride_w};
  filters.region.pad_high = {0, 0, 0, (count - 1 - column) * conv.stride_w};
}

}  // namespace tilewright
