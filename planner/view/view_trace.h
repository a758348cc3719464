// Traces of copies between views of tensors in given layouts, as YAML; docs/strided_copy.md describes the format.
#pragma once

#include <string>
#include <vector>

#include "planner/view/layout.h"
#include "planner/view/view_chain.h"

namespace tilewright {

struct ViewedTensor {
  Layout layout;
  View view;
};

struct TracedCopy {
  std::string name;
  DataType type = DataType::kBf16;
  ViewedTensor input, output;  // views of one shape; the output's does not overlap itself
  bool zero_padding = false;   // the output's padding is written, too
};

// UserError with a line per fault: files that are none, views that do not fit their tensor, layouts that are none,
// outputs that would be written twice, sides of different shapes, names given twice.
std::vector<TracedCopy> read_view_trace(const std::string& path);
std::vector<TracedCopy> read_view_trace_text(const std::string& text, const std::string& name);

}  // namespace tilewright
