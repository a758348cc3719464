#include "planner/measure/outputs.h"

#include <fmt/format.h>

#include "planner/emit/indices.h"
#include "planner/ir/memory_sharing.h"
#include "planner/measure/check.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Of a file that says nothing: a YAML graph or a list.
ValueType type_of(const Plan& plan, TensorId id) {
  const Tensor& tensor = plan.graph.tensor(id);
  if (tensor.value_type) return *tensor.value_type;
  return tensor.is_index || plan.tensors[id].type == DataType::kInt32 ? ValueType::kInt32 : ValueType::kFloat32;
}

OutputValues output_of(const Plan& plan, TensorId id, const std::vector<SegmentData>& segments) {
  const Tensor& tensor = plan.graph.tensor(id);
  OutputValues output{tensor.name, tensor.shape, type_of(plan, id), tensor_values(plan, id, segments)};
  for (double& value : output.values) {
    if (!holds(output.type, value))
      throw UserError(fmt::format("output '{}'", tensor.name),
                      fmt::format("the chip computed {}, which is no {}", value, name_of(output.type)));
    value = converted(output.type, value);
  }
  return output;
}

void check_indices(const Plan& plan, const std::vector<SegmentData>& segments) {
  const std::vector<bool> gone = tensors_sharing_memory(plan);
  for (const Operator& op : plan.graph.operators()) {
    if (op.kind != OpKind::kGather || !plan.graph.tensor(op.inputs[1]).producer || gone[op.inputs[1]]) continue;
    if (tensor_values(plan, op.inputs[1], segments) != planned_indices(plan.graph, op.inputs[1], plan.options.type))
      throw UserError(place_of(op),
                      "the program was made for other indices than the run computed; a type of higher precision may "
                      "give the same");
  }
}

}  // namespace

std::vector<OutputValues> output_values(const Plan& plan, const std::vector<SegmentData>& segments) {
  check_indices(plan, segments);
  std::vector<OutputValues> outputs;
  for (TensorId id = 0; id < static_cast<TensorId>(plan.graph.tensors().size()); ++id)
    if (plan.graph.tensor(id).kind == TensorKind::kOutput) outputs.push_back(output_of(plan, id, segments));
  return outputs;
}

}  // namespace tilewright
