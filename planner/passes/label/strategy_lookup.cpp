#include "planner/passes/label/strategy_lookup.h"

#include "planner/ir/contraction.h"

namespace tilewright {
namespace {

TensorRole role_of(const Operator& op, std::size_t input) {
  return is_contraction(op.kind) && input == 1 ? TensorRole::kInputWeight : TensorRole::kInputNeuron;
}

}  // namespace

const StrategyTable& strategies_of(const Plan& plan) {
  return plan.options.strategies ? *plan.options.strategies : default_strategies();
}

const StrategyRow* row_for(const Plan& plan, const Operator& op, std::size_t input, std::size_t dimension) {
  const std::string& order = plan.labels[op.inputs[input]].dynamic.order;
  return strategies_of(plan).find(op.kind, role_of(op, input), order[dimension], plan.options.parallel);
}

const StrategyRow* output_row(const Plan& plan, const Operator& op, char dimension) {
  return strategies_of(plan).find(op.kind, TensorRole::kOutputNeuron, dimension, plan.options.parallel);
}

}  // namespace tilewright
