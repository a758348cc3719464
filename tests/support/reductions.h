// Strategies under which partial results are added up by one reduction.
#pragma once

#include <fmt/format.h>

#include <memory>

#include "planner/ir/strategy.h"

namespace tilewright::test {

inline std::shared_ptr<const StrategyTable> reduced_by(Reduction reduction) {
  const std::string text = fmt::format(
      "strategies:\n  - {{operators: [MatMul, Conv], tensor: output_neuron, dimensions: [C], cache: {{store: cluster, "
      "swap: core, reduction: {0}}}, bus: {{store: mem, swap: cluster, reduction: {1}}}}}\n",
      name_of(reduction), name_of(reduction == Reduction::kNetwork ? Reduction::kScatter : reduction));
  return std::make_shared<const StrategyTable>(
      default_strategies().overridden_by(read_strategies_text(text, "test.yaml")));
}

}  // namespace tilewright::test
