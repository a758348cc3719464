#include "planner/reference/reference.h"

#include <fmt/format.h>

#include "planner/graph/broadcast.h"
#include "planner/reference/reference_kinds.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

TensorValues unary(const Operator& op, const ReferenceOperands& in) {
  TensorValues result = in[0].values;
  for (double& value : result) value = apply_activation(op.kind, op.attributes, value);
  return result;
}

bool divides_integers(const Graph& graph, const Operator& op) {
  return op.kind == OpKind::kDiv && graph.tensor(op.inputs[0]).is_index && graph.tensor(op.inputs[1]).is_index;
}

TensorValues compute_own_rule(const Graph& graph, const Operator& op, const ReferenceOperands& in, const Shape& out) {
  switch (op.kind) {
    case OpKind::kMatMul:
      return reference_matmul(op, in, out);
    case OpKind::kMatMulNBits:
      return reference_packed_matmul(op, in, out);
    case OpKind::kConv:
      return reference_conv(graph, op, in, out);
    case OpKind::kSoftmax:
      return reference_softmax(op, in);
    case OpKind::kLayerNorm:
      return reference_layer_norm(op, in);
    case OpKind::kRmsNorm:
      return reference_rms_norm(op, in);
    case OpKind::kBatchNorm:
      return reference_batch_norm(op, in);
    case OpKind::kTranspose:
      return reference_transpose(op, in, out);
    case OpKind::kConcat:
      return reference_concat(op, in, out);
    case OpKind::kSlice:
      return reference_slice(op, in, out);
    case OpKind::kGather:
      return reference_gather(op, in, out);
    default:
      SIM_CHECK(false, "{} has no reference", name_of(op.kind));
  }
}

TensorValues compute_kind(const Graph& graph, const Operator& op, const ReferenceOperands& in, const Shape& out) {
  switch (traits_of(op.kind).family) {
    case OperatorFamily::kUnary:
      return unary(op, in);
    case OperatorFamily::kBinary:
      return reference_binary(op, in, out, divides_integers(graph, op));
    case OperatorFamily::kReduction:
      return reference_reduce(op, in, out);
    case OperatorFamily::kPool:
      return reference_pool(graph, op, in, out);
    case OperatorFamily::kAlias:
      return in[0].values;
    default:
      return compute_own_rule(graph, op, in, out);
  }
}

// Shape of an epilogue's operand as it is broadcast against `out`: a vector has one value per output channel.
Shape epilogue_shape(const Operator& op, const Shape& out, const Shape& operand) {
  if (operand.size() > 1 || element_count(operand) == 1) return operand;
  Shape shape(out.size(), 1);
  shape[channel_dimension(op.kind, out.size())] = operand[0];
  return shape;
}

void apply_epilogue(const Graph& graph, const Operator& op, const Epilogue& epilogue, const TensorValues* operand,
                    const Shape& out, TensorValues& result) {
  if (!epilogue.operand) {
    for (double& value : result) value = apply_activation(epilogue.kind, epilogue.attributes, value);
    return;
  }
  SIM_CHECK(operand != nullptr, "operator '{}': no values for an epilogue's operand", op.name);
  const Shape shape = epilogue_shape(op, out, graph.tensor(*epilogue.operand).shape);
  SIM_CHECK(broadcast(shape, out) == out && element_count(shape) == static_cast<std::int64_t>(operand->size()),
            "operator '{}': an epilogue operand of {} for {}", op.name, to_string(shape), to_string(out));
  double* target = result.data();
  const auto strides = broadcast_strides(shape, out);
  for_each_offset(out, strides, strides, [&](std::int64_t offset, std::int64_t) {
    *target = apply_binary(epilogue.kind, epilogue.attributes, *target, (*operand)[offset]);
    ++target;
  });
}

// On what the inputs stand for.
TensorValues compute_quantized(const Graph& graph, const Operator& op, const ReferenceOperands& in, const Shape& out) {
  const std::vector<QuantLevel>& levels = op.attributes.levels;
  SIM_CHECK(levels.size() == in.size() + 1, "operator '{}': {} levels for {} inputs", op.name, levels.size(),
            in.size());
  std::vector<TensorValues> values;
  for (std::size_t i = 0; i < in.size(); ++i) values.push_back(dequantized(in[i].values, levels[i]));
  ReferenceOperands floats;
  for (std::size_t i = 0; i < in.size(); ++i) floats.push_back({in[i].shape, values[i]});
  TensorValues result = compute_kind(graph, op, floats, out);
  quantize(result, levels.back());
  return result;
}

ReferenceOperands operands_of(const Graph& graph, const Operator& op, const std::vector<const TensorValues*>& inputs) {
  SIM_CHECK(inputs.size() == op.inputs.size(), "operator '{}': {} inputs for {}", op.name, inputs.size(),
            op.inputs.size());
  ReferenceOperands operands;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& tensor = graph.tensor(op.inputs[i]);
    SIM_CHECK(static_cast<std::int64_t>(inputs[i]->size()) == element_count(tensor.shape),
              "tensor '{}': {} values for shape {}", tensor.name, inputs[i]->size(), to_string(tensor.shape));
    operands.push_back({tensor.shape, *inputs[i]});
  }
  return operands;
}

}  // namespace

TensorValues compute_reference(const Graph& graph, const Operator& op, const std::vector<const TensorValues*>& inputs,
                               const std::vector<const TensorValues*>& epilogue_operands) {
  SIM_CHECK(epilogue_operands.size() == op.epilogues.size(), "operator '{}': {} operands for {} epilogues", op.name,
            epilogue_operands.size(), op.epilogues.size());
  const Shape out = infer_shape(graph, op);
  const ReferenceOperands in = operands_of(graph, op, inputs);
  TensorValues result =
      op.attributes.levels.empty() ? compute_kind(graph, op, in, out) : compute_quantized(graph, op, in, out);
  for (std::size_t i = 0; i < op.epilogues.size(); ++i)
    apply_epilogue(graph, op, op.epilogues[i], epilogue_operands[i], out, result);
  return result;
}

}  // namespace tilewright
