// A network of floats planned in int8 (ImportOptions::type): its tensors get levels of the importer's making, for its
// time, bytes and energy; what it computes is as far from the floats as such levels are.
#pragma once

#include "planner/import/onnx_convert.h"

namespace tilewright {

// Whether the nodes quantise by themselves, so that no levels are made up.
bool is_quantised(const std::vector<OnnxNode>& nodes);

// Converts the node, what it computes from live floats as int8. UserError where that has no form on int8.
void convert_to_int8(OnnxBuilder& builder, const OnnxNode& node, const OnnxConversion& conversion);

}  // namespace tilewright
