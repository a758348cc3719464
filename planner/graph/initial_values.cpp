// Seeded values for inputs and constants, chosen so that deep networks stay in range.
#include <algorithm>
#include <cmath>

#include "planner/graph/reference.h"

namespace tilewright {
namespace {

// Interval and grid that a tensor's values are drawn from.
struct Distribution {
  double low = -1, high = 1;
  bool integer = false;
};

// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// FNV-1a over the name: a tensor's values do not depend on the tensors beside it.
std::uint64_t name_seed(const std::string& name, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ seed;
  for (const unsigned char c : name) hash = (hash ^ c) * 0x100000001b3ULL;
  return hash;
}

double unit_interval(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

std::int64_t fan_in(const Graph& graph, const Operator& op) {
  const Shape& w = graph.tensor(op.inputs[1]).shape;
  if (op.kind == OpKind::kConv) return w[1] * w[2] * w[3];
  return op.attributes.transpose_b ? w.back() : w[w.size() - 2];
}

bool only_renames(OpKind kind) {
  return kind == OpKind::kTranspose || kind == OpKind::kReshape || kind == OpKind::kIdentity || kind == OpKind::kCast ||
         kind == OpKind::kSlice;
}

// A weight matrix or kernel: the variance of a sum over the fan-in stays that of one input.
Distribution weights(std::int64_t inputs) {
  const double limit = std::sqrt(3.0 / static_cast<double>(inputs));
  return {-limit, limit};
}

constexpr Distribution kActivation{}, kPositive{0.5, 1.5}, kBias{-0.1, 0.1};

// What an operator wants at input `position`; `constant` tells weights from activations (attention multiplies two).
Distribution distribution_at(const Graph& graph, const Operator& op, std::size_t position, bool constant) {
  switch (op.kind) {
    case OpKind::kMatMul:
    case OpKind::kConv:
      if (position == 2) return kBias;
      return position == 1 && constant ? weights(fan_in(graph, op)) : kActivation;
    case OpKind::kBatchNorm:
      if (position == 1 || position == 4) return kPositive;
      return position == 0 ? kActivation : kBias;
    case OpKind::kLayerNorm:
      if (position == 1) return kPositive;
      return position == 0 ? kActivation : kBias;
    case OpKind::kGather:
      if (position == 0) return kActivation;
      return {0, static_cast<double>(graph.tensor(op.inputs[0]).shape[op.attributes.axis]), true};
    case OpKind::kDiv:
      return position == 1 ? kPositive : kActivation;
    case OpKind::kSqrt:
    case OpKind::kReciprocal:
    case OpKind::kPow:
      return kPositive;
    default:
      return kActivation;
  }
}

// Follows a constant through the operators that only rename its elements (a transposed weight) to its first real use.
Distribution distribution_for(const Graph& graph, TensorId id, bool constant) {
  for (int step = 0; step < 8 && !graph.tensor(id).consumers.empty(); ++step) {
    const Operator& op = graph.op(graph.tensor(id).consumers[0]);
    const auto input = std::find(op.inputs.begin(), op.inputs.end(), id);
    if (input == op.inputs.end()) return kBias;  // the operand of an epilogue
    if (!constant || !only_renames(op.kind))
      return distribution_at(graph, op, static_cast<std::size_t>(input - op.inputs.begin()), constant);
    id = op.output;
  }
  return kActivation;
}

Distribution distribution_of(const Graph& graph, TensorId id, DataType type) {
  const Tensor& tensor = graph.tensor(id);
  const Distribution result = distribution_for(graph, id, tensor.kind == TensorKind::kConstant);
  if (!result.integer && (type == DataType::kInt8 || type == DataType::kInt32)) return {-8, 9, true};
  return result;
}

double draw(const Distribution& d, std::uint64_t& state) {
  const double value = d.low + (d.high - d.low) * unit_interval(splitmix64(state));
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
    std::uint64_t state = name_seed(tensor.name, seed);
    values.reserve(element_count(tensor.shape));
    for (std::int64_t i = element_count(tensor.shape); i > 0; --i) values.push_back(draw(distribution, state));
  }
  if (tensor.is_index) return values;
  for (double& value : values) value = round_to(type, value);
  return values;
}

}  // namespace tilewright
