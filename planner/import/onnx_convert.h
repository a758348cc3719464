// Nodes of a graph or of a body inside it, converted in the order in which they depend on each other.
#pragma once

#include <string>
#include <vector>

#include "planner/import/onnx_builder.h"

namespace tilewright {

const std::vector<OnnxConversion>& all_onnx_conversions();
// Null when the operator is not supported.
const OnnxConversion* find_onnx_conversion(const onnx::NodeProto& node);

// The graph's nodes that one of `outputs` depends on, named, every one behind what it reads and otherwise as in the
// file. UserError on a cycle and on a tensor that two nodes compute.
std::vector<OnnxNode> ordered_nodes(const onnx::GraphProto& graph, const std::vector<std::string>& outputs,
                                    std::int64_t opset);

// Converts them one by one. UserError with all nodes that cannot be, by operator, with their names.
void convert_nodes(OnnxBuilder& builder, const std::vector<OnnxNode>& nodes);

}  // namespace tilewright
