// Lists of axes as nodes spell them.
#pragma once

#include <vector>

#include "planner/import/onnx_builder.h"

namespace tilewright {

// Of a reduction, as 0 or more.
std::vector<std::int64_t> reduced_axes(const OnnxBuilder& builder, const OnnxNode& node);

}  // namespace tilewright
