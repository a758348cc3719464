#include "planner/passes/label/convert_constants.h"

#include <algorithm>

#include "planner/reference/reference.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Values made up for a constant without data: the padding needs real ones around it.
constexpr std::uint64_t kSeed = 1;

bool is_private_matrix(const Plan& plan, TensorId id) {
  const Tensor& tensor = plan.graph.tensor(id);
  return tensor.kind == TensorKind::kConstant && tensor.shape.size() == 2 && tensor.consumers.size() == 1;
}

// Rows shorter than a request to memory while columns would make longer runs.
bool worth_transposing(const Plan& plan, const Operator& op) {
  const Shape& shape = plan.graph.tensor(op.inputs[1]).shape;
  const Bytes row = shape[1] * bytes_of(plan.tensors[op.inputs[1]].type);
  return !op.attributes.transpose_b && row < plan.hardware.core.dma.request_bytes && shape[1] < shape[0];
}

std::vector<double> transposed(const std::vector<double>& data, std::int64_t rows, std::int64_t columns) {
  std::vector<double> result(data.size());
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) result[j * rows + i] = data[i * columns + j];
  return result;
}

void transpose(Plan& plan, Operator& op) {
  const TensorId id = op.inputs[1];
  Tensor& tensor = plan.graph.tensor(id);
  if (tensor.data) tensor.data = transposed(*tensor.data, tensor.shape[0], tensor.shape[1]);
  std::swap(tensor.shape[0], tensor.shape[1]);
  std::string& order = plan.labels[id].dynamic.order;
  std::swap(order[0], order[1]);
  op.attributes.transpose_b = true;
}

// Zeros behind dimension `d` up to `length`.
void pad(Plan& plan, TensorId id, std::size_t d, std::int64_t length) {
  Tensor& tensor = plan.graph.tensor(id);
  if (!tensor.data) tensor.data = initial_values(plan.graph, id, plan.tensors[id].type, kSeed);
  const Shape before = tensor.shape;
  plan.labels[id].dynamic.padding[d].length = length - before[d];
  tensor.shape[d] = length;
  std::vector<double> data(element_count(tensor.shape), 0.0);
  for (std::int64_t i = 0; i < before[0]; ++i)
    std::copy_n(tensor.data->begin() + i * before[1], before[1], data.begin() + i * tensor.shape[1]);
  tensor.data = std::move(data);
}

void convert(Plan& plan, Operator& op) {
  const bool matrix = is_private_matrix(plan, op.inputs[1]);
  if (matrix && worth_transposing(plan, op)) transpose(plan, op);
  if (!op.attributes.zero_extend) return;
  if (!matrix) throw UserError(place_of(op), "zero_extend needs weights that are a constant matrix of its own");
  const Shape& a = plan.graph.tensor(op.inputs[0]).shape;
  const std::int64_t length = op.attributes.transpose_a ? a[a.size() - 2] : a.back();
  const std::size_t d = op.attributes.transpose_b ? 1 : 0;
  if (plan.graph.tensor(op.inputs[1]).shape[d] < length) pad(plan, op.inputs[1], d, length);
  op.attributes.zero_extend = false;
}

}  // namespace

void convert_constants(Plan& plan) {
  for (const OperatorId id : plan.order)
    if (plan.graph.op(id).kind == OpKind::kMatMul) convert(plan, plan.graph.op(id));
}

}  // namespace tilewright
