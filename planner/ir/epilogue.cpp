#include "planner/ir/epilogue.h"

#include <algorithm>

#include "sim/base/error.h"

namespace tilewright {

EpilogueForm form_of(const Graph& graph, const Epilogue& epilogue) {
  if (!epilogue.operand) return EpilogueForm::kUnary;
  const Tensor& operand = graph.tensor(*epilogue.operand);
  if (operand.kind == TensorKind::kConstant && operand.data && operand.data->size() == 1) return EpilogueForm::kScalar;
  return operand.shape.size() <= 1 ? EpilogueForm::kChannel : EpilogueForm::kElement;
}

bool has_element_operand(const Graph& graph, const Operator& op) {
  return std::any_of(op.epilogues.begin(), op.epilogues.end(),
                     [&](const Epilogue& e) { return form_of(graph, e) == EpilogueForm::kElement; });
}

double scalar_of(const Plan& plan, const Epilogue& epilogue) {
  SIM_CHECK(form_of(plan.graph, epilogue) == EpilogueForm::kScalar, "an epilogue's operand is no known scalar");
  return round_to(plan.tensors[*epilogue.operand].type, plan.graph.tensor(*epilogue.operand).data->front());
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
