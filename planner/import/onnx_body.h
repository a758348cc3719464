// Graphs inside a node's attributes: the bodies of If and Loop.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "planner/import/onnx_node.h"

namespace tilewright {

// Everything that the node reads: its inputs, and what its bodies take from outside.
std::set<std::string> names_read(const onnx::NodeProto& node);

// The node's bodies; empty for most.
std::vector<const onnx::GraphProto*> bodies_of(const onnx::NodeProto& node);

// A copy in which every name that the body defines begins with `prefix`, so that it can stand beside other copies.
onnx::GraphProto renamed_body(const onnx::GraphProto& body, const std::string& prefix);

}  // namespace tilewright
