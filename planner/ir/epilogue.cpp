#include "planner/ir/epilogue.h"

#include <algorithm>
#include <bit>
#include <span>

#include "sim/base/random.h"

namespace tilewright {
namespace {

// Row by row of the operand's part behind `result`, the operand having a dimension or more; stops where `visit`, given
// a row, returns false.
template <typename Visit>
bool visit_known(const Tensor& operand, const BoxRange& result, const Visit& visit) {
  const BoxRange box = broadcast_box(operand.shape, result);
  const std::size_t inner = box.size() - 1;
  std::vector<std::int64_t> at(box.size());
  for (std::size_t d = 0; d < box.size(); ++d) at[d] = box[d].begin;
  while (true) {
    std::int64_t index = 0;
    for (std::size_t d = 0; d < box.size(); ++d) index = index * operand.shape[d] + at[d];
    if (!visit(std::span(operand.data->data() + index, static_cast<std::size_t>(box[inner].size())))) return false;
    std::size_t d = inner;
    while (d > 0 && ++at[d - 1] == box[d - 1].end) --d, at[d] = box[d].begin;
    if (d == 0) return true;
  }
}

}  // namespace

bool known_within(const Graph& graph, const Epilogue& epilogue, const BoxRange& result, double low, double high) {
  const Tensor& operand = graph.tensor(*epilogue.operand);
  if (operand.kind != TensorKind::kConstant || !operand.data) return false;
  return visit_known(operand, result, [&](std::span<const double> row) {
    return std::all_of(row.begin(), row.end(), [&](double value) { return low <= value && value <= high; });
  });
}

std::uint64_t digest_of_known(const Graph& graph, const Epilogue& epilogue, const BoxRange& result) {
  std::uint64_t digest = 0;
  visit_known(graph.tensor(*epilogue.operand), result, [&](std::span<const double> row) {
    for (const double value : row) digest = SplitMix64::at(digest, std::bit_cast<std::uint64_t>(value));
    return true;
  });
  return digest;
}

EpilogueForm form_of(const Graph& graph, const Epilogue& epilogue) {
  if (!epilogue.operand) return EpilogueForm::kUnary;
  const Tensor& operand = graph.tensor(*epilogue.operand);
  if (is_known_scalar(operand)) return EpilogueForm::kScalar;
  return operand.shape.size() <= 1 ? EpilogueForm::kChannel : EpilogueForm::kElement;
}

bool has_element_operand(const Graph& graph, const Operator& op) {
  return std::any_of(op.epilogues.begin(), op.epilogues.end(),
                     [&](const Epilogue& e) { return form_of(graph, e) == EpilogueForm::kElement; });
}

std::optional<double> known_scalar(const Plan& plan, TensorId tensor) {
  const Tensor& constant = plan.graph.tensor(tensor);
  if (!is_known_scalar(constant)) return std::nullopt;
  return round_finite(plan.tensors[tensor].type, constant.data->front());
}

bool per_channel(const Shape& operand, const Shape& result, OpKind kind) {
  const std::size_t channel = channel_dimension(kind, result.size());
  if (operand.size() > result.size() || element_count(operand) != result[channel]) return false;
  const std::size_t missing = result.size() - operand.size();
  return channel >= missing && operand[channel - missing] == result[channel];
}

bool fits_elements(const Shape& operand, const Shape& result, OpKind kind) {
  if (kind == OpKind::kConv) return operand == result;
  if (operand.size() < 2 || operand.size() > result.size()) return false;
  const std::size_t missing = result.size() - operand.size();
  for (std::size_t d = 0; d < operand.size(); ++d)
    if (operand[d] != 1 && operand[d] != result[d + missing]) return false;
  return true;
}

BoxRange broadcast_box(const Shape& shape, const BoxRange& output) {
  BoxRange box(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d)
    box[d] = shape[d] == 1 ? Range{0, 1} : output[output.size() - shape.size() + d];
  return box;
}

}  // namespace tilewright
