#include "planner/passes/decompose/cut_rules.h"

#include <algorithm>

#include "planner/ir/axes.h"
#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

// Dimensions of the output that may be cut.
std::vector<int> cut_dimensions(const std::vector<Tensor>& tensors, const Operator& op) {
  const int rank = static_cast<int>(tensors.at(op.output).shape.size());
  std::vector<int> all(rank);
  for (int d = 0; d < rank; ++d) all[d] = d;
  const Attributes& a = op.attributes;
  switch (traits_of(op.kind).axes) {
    case AxisMap::kConvolution:
    case AxisMap::kWindow:
      return {0, 1};
    case AxisMap::kMatrices:
      return all;
    case AxisMap::kAligned:
      std::erase_if(all, [&](int d) { return !can_cut(op, d); });
      return all;
    case AxisMap::kPermuted:
      std::erase_if(all, [&](int d) { return a.permutation[d] != d; });
      return all;
    case AxisMap::kReduced:
      if (!a.keepdims) return {};
      std::erase_if(all, [&](int d) { return std::count(a.axes.begin(), a.axes.end(), d) > 0; });
      return all;
    default:
      return {};
  }
}

}  // namespace

int cut_dimension(const std::vector<Tensor>& tensors, const Operator& op, std::size_t index, int d) {
  const Shape& out = tensors.at(op.output).shape;
  const int rank = static_cast<int>(out.size());
  const Shape& in = tensors.at(all_inputs(op)[index]).shape;
  const int own = d - (rank - static_cast<int>(in.size()));  // aligned at the last dimension
  if (index >= op.inputs.size()) {
    if (in.size() > 1) return own < 0 || in[own] == 1 ? -1 : own;
    const bool channel = d == static_cast<int>(channel_dimension(op.kind, out.size()));
    return channel && element_count(in) > 1 ? 0 : -1;
  }
  const AxisMap axes = traits_of(op.kind).axes;
  if (axes == AxisMap::kConvolution) {
    if (index == 0) return d == 0 ? 0 : op.attributes.groups > 1 ? 1 : -1;
    return d == 1 ? 0 : -1;
  }
  if (axes == AxisMap::kMatrices && d >= rank - 2) {
    if ((index == 0) != (d == rank - 2)) return -1;
    const bool swapped = index == 0 ? op.attributes.transpose_a : op.attributes.transpose_b;
    return swapped ? own + (d == rank - 2 ? 1 : -1) : own;
  }
  if (role_of(op.kind, index) == InputRole::kScale || role_of(op.kind, index) == InputRole::kShift) return -1;
  if (own < 0 || in[own] == 1) return -1;  // repeated
  return own;
}

Range cut_range(const std::vector<Tensor>& tensors, const Operator& op, std::size_t index, int d, const Range& range) {
  const int cut = cut_dimension(tensors, op, index, d);
  const std::int64_t in = tensors.at(all_inputs(op)[index]).shape[cut], out = tensors.at(op.output).shape[d];
  return in == out ? range : Range{range.begin * in / out, range.end * in / out};
}

std::int64_t cut_granule(const Hardware& hardware) {
  return std::max(hardware.core.matmul.rows, hardware.core.matmul.columns);
}

std::vector<CutRule> cut_rules(const std::vector<Tensor>& tensors, const Operator& op, std::int64_t granule) {
  const Shape& out = tensors.at(op.output).shape;
  const bool grouped = traits_of(op.kind).axes == AxisMap::kConvolution && op.attributes.groups > 1;
  std::vector<CutRule> rules;
  for (const int d : cut_dimensions(tensors, op)) {
    std::int64_t unit = out[d] >= 4 * granule ? granule : 1;
    if (grouped && d == 1) unit = out[d] / op.attributes.groups;
    if (out[d] > unit) rules.push_back({d, ceil_div(out[d], unit), unit, out[d]});
  }
  return rules;
}

}  // namespace tilewright
