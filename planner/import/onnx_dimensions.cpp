#include "planner/import/onnx_dimensions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "sim/base/distinct.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

using Dimension = onnx::TensorShapeProto::Dimension;

bool has_name(const Dimension& dimension) { return dimension.has_dim_param() && !dimension.dim_param().empty(); }

// Calls visit(input, dimension, whether it leads its shape) for all that have no value in the file.
template <typename Visit>
void for_each_open(const onnx::GraphProto& graph, Visit visit) {
  for (const onnx::ValueInfoProto& info : graph.input()) {
    const auto& dimensions = info.type().tensor_type().shape().dim();
    for (int d = 0; d < dimensions.size(); ++d)
      if (!dimensions[d].has_dim_value()) visit(info, dimensions[d], d == 0);
  }
}

std::string batch_symbol(const onnx::GraphProto& graph) {
  std::string first;
  for_each_open(graph, [&](const auto&, const Dimension& dimension, bool leads) {
    if (leads && has_name(dimension) && first.empty()) first = dimension.dim_param();
  });
  return first;
}

void check_names(const std::string& path, const onnx::GraphProto& graph, const ImportOptions& options) {
  std::set<std::string> known;
  for_each_open(graph, [&](const auto&, const Dimension& dimension, bool) { known.insert(dimension.dim_param()); });
  known.erase("");
  for (const auto& [name, value] : options.dimensions)
    if (!known.contains(name))
      throw UserError(path, fmt::format("--dim {}={}: no input has that dimension; {}", name, value,
                                        known.empty() ? "all have their values in the file"
                                                      : fmt::format("they have {}", fmt::join(known, ", "))));
}

}  // namespace

OnnxDimensions::OnnxDimensions(const std::string& path, const onnx::GraphProto& graph, const ImportOptions& options)
    : values_(options.dimensions), batch_(options.batch) {
  check_names(path, graph, options);
  bool has_batch = false;
  const std::string batch = batch_symbol(graph);
  if (!batch.empty()) has_batch = values_.emplace(batch, batch_).second;
  std::vector<std::string> without;
  for_each_open(graph, [&](const auto& info, const Dimension& dimension, bool leads) {
    has_batch = has_batch || (leads && !has_name(dimension));
    if (value_of(dimension, leads)) return;
    without.push_back(has_name(dimension) ? dimension.dim_param() : fmt::format("one of input '{}'", info.name()));
  });
  check_batch(path, options, has_batch);
  if (without.empty()) return;
  keep_distinct(without);
  throw UserError(path, fmt::format("dimensions without a value: {}; give each one by its name, as in --dim {}=128",
                                    fmt::join(without, ", "), without.front()));
}

std::optional<std::int64_t> OnnxDimensions::value_of(const Dimension& dimension, bool leads) const {
  if (dimension.has_dim_value()) return dimension.dim_value();
  if (const auto given = values_.find(dimension.dim_param()); given != values_.end()) return given->second;
  return leads && !has_name(dimension) ? std::optional(batch_) : std::nullopt;
}

Shape OnnxDimensions::shape_of(const onnx::TensorShapeProto& shape) const {
  Shape result;
  for (int d = 0; d < shape.dim_size(); ++d) result.push_back(value_of(shape.dim(d), d == 0).value());
  return result;
}

}  // namespace tilewright
