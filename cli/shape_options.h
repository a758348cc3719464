// Arguments that name one operator by its sizes: --m --n --k, or --conv and what belongs to it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "planner/graph/operator_shape.h"

namespace tilewright {

struct ShapeOptions {
  std::string type = "bf16";
  std::int64_t m = 0, n = 0, k = 0;
  std::vector<std::int64_t> conv;  // channels, height, width, filters, kernel height, kernel width
  std::int64_t stride = 1, pad = 0, dilation = 1, groups = 1, batch = 1;

  bool given() const { return !conv.empty() || m > 0 || n > 0 || k > 0; }
};

void add_shape_options(CLI::App& command, ShapeOptions& options);

// UserError naming `where` when sizes are missing or do not fit each other.
OperatorShape shape_of(const ShapeOptions& options, const std::string& where);

}  // namespace tilewright
