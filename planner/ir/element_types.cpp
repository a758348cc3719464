// Element types of all tensors: what PlanOptions::type asks for, and what the machine makes of it.
#include "planner/ir/element_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "planner/graph/data_type_choices.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// As it lies in memory before the run; what operators write is set one after the other.
DataType type_of_source(const Plan& plan, const Tensor& tensor) {
  return stored_type(tensor, is_converted(plan, tensor) ? tensor.type : plan.options.type);
}

DataType type_of_output(const Plan& plan, const Operator& op) {
  const Tensor& output = plan.graph.tensor(op.output);
  if (traits_of(op.kind).is(kTruth) || output.is_index) return DataType::kInt32;
  if (output.fixed_type) return *output.fixed_type;
  if (moves_only(op.kind)) return plan.tensors[op.inputs[0]].type;
  const DataType wanted = plan.options.type;
  if (is_contraction(op.kind) && (wanted == DataType::kInt8)) return accumulator_type(wanted);
  return wanted;
}

void check_integer_operator(const Plan& plan, const Operator& op) {
  if (plan.options.type != DataType::kInt8 || moves_only(op.kind)) return;
  const std::string where = place_of(op);
  if (op.kind == OpKind::kQuantize || op.kind == OpKind::kDequantize)
    throw UserError(where,
                    "the network is quantised already; what is left of it are floats: expected fp32, fp16 or bf16");
  const Tensor& output = plan.graph.tensor(op.output);
  if (output.fixed_type || output.is_index) return;
  if (!is_contraction(op.kind))
    throw UserError(where,
                    "cannot be computed in int8: only matmul and convolution can; plan the network in fp16 or bf16");
  for (const Epilogue& epilogue : op.epilogues)
    if (!traits_of(epilogue.kind).is(kExactOnInt32))
      throw UserError(where, fmt::format("its {} cannot be computed on int32 results", name_of(epilogue.kind)));
  for (std::size_t i = 0; i < 2; ++i)
    if (plan.tensors[op.inputs[i]].type != DataType::kInt8)
      throw UserError(where,
                      fmt::format("input '{}' is the int32 result of another operator; an int8 network would have "
                                  "to scale it back to int8 first",
                                  plan.graph.tensor(op.inputs[i]).name));
}

void check_multiplies(const Plan& plan, const Operator& op) {
  if (!is_contraction(op.kind)) return;
  const std::string where = place_of(op);
  const DataType type = plan.tensors[op.inputs[0]].type, other = plan.tensors[op.inputs[1]].type;
  if (plan.hardware.core.matmul.rate[static_cast<int>(type)] <= 0)
    throw UserError(where, fmt::format("the matmul unit of '{0}' does not multiply {1}: core.matmul.rate.{1} is 0",
                                       plan.hardware.name, name_of(type)));
  if (op.kind == OpKind::kMatMulNBits) {
    if (type != DataType::kFp32 && type != DataType::kFp16 && type != DataType::kBf16)
      throw UserError(where, fmt::format("its weights are expanded to the type of '{}', which is {}: expected "
                                         "fp32|fp16|bf16",
                                         plan.graph.tensor(op.inputs[0]).name, name_of(type)));
    return;
  }
  if (other != type)
    throw UserError(where, fmt::format("input '{}' holds {}, expected {} as the first",
                                       plan.graph.tensor(op.inputs[1]).name, name_of(other), name_of(type)));
}

void check_on_floats(const Plan& plan, const Operator& op) {
  if (!traits_of(op.kind).is(kOnFloats) || !plan.graph.tensor(op.output).is_index) return;
  throw UserError(place_of(op),
                  fmt::format("its result '{}' holds integers, expected floats", plan.graph.tensor(op.output).name));
}

// Integers are computed from integers, and joined to nothing else: a Cast says how a float becomes one.
void check_integer_inputs(const Plan& plan, const Operator& op) {
  const bool joins = op.kind == OpKind::kConcat, whole = plan.graph.tensor(op.output).is_index;
  const bool computes = traits_of(op.kind).family == OperatorFamily::kBinary && !traits_of(op.kind).is(kTruth);
  if (!joins && !(computes && whole)) return;
  for (const TensorId input : op.inputs)
    if (plan.graph.tensor(input).is_index != whole)
      throw UserError(place_of(op), fmt::format("its result '{}' holds {}, its input '{}' {}",
                                                plan.graph.tensor(op.output).name, whole ? "integers" : "floats",
                                                plan.graph.tensor(input).name, whole ? "floats" : "integers"));
}

// Values arrive unchanged, so those of one result have one type.
void check_joined(const Plan& plan, const Operator& op) {
  if (op.kind != OpKind::kConcat || plan.options.type != DataType::kInt8) return;
  const DataType first = plan.tensors[op.inputs[0]].type;
  for (const TensorId input : op.inputs)
    if (plan.tensors[input].type != first)
      throw UserError(place_of(op),
                      fmt::format("its input '{}' holds {}, its input '{}' {}", plan.graph.tensor(op.inputs[0]).name,
                                  name_of(first), plan.graph.tensor(input).name, name_of(plan.tensors[input].type)));
}

// What is added to int32 sums has their type, and so has what it is a part of.
void add_to_sums(Plan& plan, TensorId operand) {
  for (;;) {
    plan.tensors[operand].type = DataType::kInt32;
    const auto producer = plan.graph.tensor(operand).producer;
    if (!producer || !plan.graph.op(*producer).attributes.part) return;
    operand = plan.graph.op(*producer).inputs[0];
  }
}

}  // namespace

DataType operand_type(const Plan& plan, const Operator& op) {
  return stored_type(plan.graph.tensor(op.inputs[0]), plan.options.type);
}

bool multiplies_int8(const Plan& plan, const Operator& op) {
  return is_contraction(op.kind) && plan.tensors[op.inputs[0]].type == DataType::kInt8;
}

bool is_converted(const Plan& plan, const Tensor& tensor) {
  return plan.options.convert_inputs && tensor.kind == TensorKind::kInput && !tensor.is_index && !tensor.fixed_type &&
         plan.options.type != DataType::kInt8 && tensor.type != plan.options.type && !tensor.consumers.empty();
}

void assign_types(Plan& plan) {
  if (plan.options.type == DataType::kInt32)
    throw UserError(
        "", fmt::format("a network cannot be planned in int32; expected {}", fmt::join(network_type_names(), "|")));
  plan.tensors.resize(plan.graph.tensors().size());
  for (std::size_t id = 0; id < plan.tensors.size(); ++id)
    plan.tensors[id].type = type_of_source(plan, plan.graph.tensor(static_cast<TensorId>(id)));
  for (const OperatorId id : plan.order) {
    const Operator& op = plan.graph.op(id);
    check_integer_operator(plan, op);
    check_multiplies(plan, op);
    check_on_floats(plan, op);
    check_integer_inputs(plan, op);
    check_joined(plan, op);
    plan.tensors[op.output].type = type_of_output(plan, op);
    for (const Epilogue& epilogue : op.epilogues)
      if (epilogue.operand && plan.options.type == DataType::kInt8 && !plan.graph.tensor(*epilogue.operand).fixed_type)
        add_to_sums(plan, *epilogue.operand);
  }
}

}  // namespace tilewright
