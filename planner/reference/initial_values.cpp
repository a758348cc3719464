// Seeded values for inputs and constants, chosen so that deep networks stay in range.
#include <algorithm>
#include <cmath>
#include <optional>

#include "planner/reference/reference.h"
#include "sim/base/hash.h"
#include "sim/base/random.h"

namespace tilewright {
namespace {

// Interval and grid that a tensor's values are drawn from.
struct Distribution {
  double low = -1, high = 1;
  bool integer = false;
};

std::int64_t fan_in(const Graph& graph, const Operator& op) {
  const Shape& w = graph.tensor(op.inputs[1]).shape;
  if (op.kind == OpKind::kConv) return w[1] * w[2] * w[3];
  return op.attributes.transpose_b ? w.back() : w[w.size() - 2];
}

// Each element of the output is one of the only input.
bool only_renames(OpKind kind) { return (moves_only(kind) || traits_of(kind).is(kCopies)) && max_inputs(kind) == 1; }

// A weight matrix or kernel: the variance of a sum over the fan-in stays that of one input.
Distribution weights(std::int64_t inputs) {
  const double limit = std::sqrt(3.0 / static_cast<double>(inputs));
  return {-limit, limit};
}

// Of the same weights as whole numbers of few bits.
Distribution weight_scales(const Graph& graph, const Operator& op) {
  const double most = static_cast<double>((1 << (op.attributes.bits - 1)) - 1);
  const double scale = weights(graph.tensor(op.inputs[0]).shape.back()).high / most;
  return {0.5 * scale, 1.5 * scale};
}

constexpr Distribution kActivation{}, kPositive{0.5, 1.5}, kBias{-0.1, 0.1};

// What an operator wants at input `position`; `constant` tells weights from activations (attention multiplies two).
Distribution distribution_at(const Graph& graph, const Operator& op, std::size_t position, bool constant) {
  switch (role_of(op.kind, position)) {
    case InputRole::kWeights:
      return constant ? weights(fan_in(graph, op)) : kActivation;
    case InputRole::kScale:
      if (op.kind == OpKind::kMatMulNBits) return weight_scales(graph, op);
      return kPositive;
    case InputRole::kPositive:
      return kPositive;
    case InputRole::kShift:
      return kBias;
    case InputRole::kIndices:
      return {0, static_cast<double>(graph.tensor(op.inputs[0]).shape[op.attributes.axis]), true};
    default:
      return kActivation;
  }
}

// Along the ways that only move, convert or compute integers: the indices of a Gather are below its dimension, all
// other integers are masks.
std::optional<std::int64_t> gathered_dimension(const Graph& graph, TensorId id, int depth) {
  if (depth == 0) return std::nullopt;
  for (const OperatorId reader : graph.tensor(id).consumers) {
    const Operator& op = graph.op(reader);
    if (op.kind == OpKind::kGather && op.inputs[1] == id) return graph.tensor(op.inputs[0]).shape[op.attributes.axis];
    if (!graph.tensor(op.output).is_index || traits_of(op.kind).is(kTruth)) continue;
    if (const auto found = gathered_dimension(graph, op.output, depth - 1)) return found;
  }
  return std::nullopt;
}

Distribution integers(const Graph& graph, TensorId id) {
  constexpr int kFollowedOperators = 16;
  const auto dimension = gathered_dimension(graph, id, kFollowedOperators);
  return {0, static_cast<double>(dimension.value_or(2)), true};
}

// Follows a constant through the operators that only rename its elements (a transposed weight), or join it to others
// where they lie, to its first real use.
Distribution distribution_for(const Graph& graph, TensorId id, bool constant) {
  for (int step = 0; step < 8 && !graph.tensor(id).consumers.empty(); ++step) {
    const Operator& op = graph.op(graph.tensor(id).consumers[0]);
    const auto input = std::find(op.inputs.begin(), op.inputs.end(), id);
    if (input == op.inputs.end()) return kBias;  // the operand of an epilogue
    if (!constant || !(only_renames(op.kind) || op.attributes.in_parts))
      return distribution_at(graph, op, static_cast<std::size_t>(input - op.inputs.begin()), constant);
    id = op.output;
  }
  return kActivation;
}

Distribution distribution_of(const Graph& graph, TensorId id, DataType type) {
  const Tensor& tensor = graph.tensor(id);
  if (tensor.is_index) return integers(graph, id);
  if (tensor.fixed_type == DataType::kInt8) return {-127, 128, true};
  const Distribution result = distribution_for(graph, id, tensor.kind == TensorKind::kConstant);
  const bool whole = type == DataType::kInt8 || type == DataType::kInt32 || tensor.value_type == ValueType::kInt8;
  if (!result.integer && whole) return {-8, 9, true};
  return result;
}

double draw(const Distribution& d, SplitMix64& random) {
  const double value = d.low + (d.high - d.low) * random.unit_interval();
  return d.integer ? std::floor(value) : value;
}

}  // namespace

TensorValues initial_values(const Graph& graph, TensorId id, DataType type, std::uint64_t seed) {
  const Tensor& tensor = graph.tensor(id);
  TensorValues values;
  if (tensor.data) {
    values = *tensor.data;
  } else {
    const Distribution distribution = distribution_of(graph, id, type);
    SplitMix64 random(
        fnv1a(tensor.name, kFnvStart ^ seed));  // a tensor's values do not depend on the tensors beside it
    values.reserve(element_count(tensor.shape));
    for (std::int64_t i = element_count(tensor.shape); i > 0; --i) values.push_back(draw(distribution, random));
  }
  if (tensor.is_index) return values;
  for (double& value : values) value = round_finite(type, value);
  return values;
}

}  // namespace tilewright
