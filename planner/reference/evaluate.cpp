#include "planner/reference/evaluate.h"

#include <cmath>
#include <map>

namespace tilewright {
namespace {

class Evaluation {
 public:
  Evaluation(const Graph& graph, const KnownSource& source, const Computes& computes)
      : graph_(graph), source_(source), computes_(computes) {}

  const std::optional<TensorValues>& of(TensorId id) {
    if (const auto known = values_.find(id); known != values_.end()) return known->second;
    const Tensor& tensor = graph_.tensor(id);
    auto values = tensor.producer && !tensor.data ? computed(graph_.op(*tensor.producer)) : source_of(id);
    return values_[id] = std::move(values);
  }

 private:
  std::optional<TensorValues> source_of(TensorId id) {
    const Tensor& tensor = graph_.tensor(id);
    return tensor.producer ? tensor.data : source_(id);
  }

  std::optional<TensorValues> computed(const Operator& op) {
    if (computes_ && !computes_(op)) return std::nullopt;
    std::vector<const TensorValues*> inputs, operands;
    for (const TensorId input : op.inputs) {
      const auto& values = of(input);
      if (!values) return std::nullopt;
      inputs.push_back(&*values);
    }
    for (const Epilogue& epilogue : op.epilogues) {
      const auto* values = epilogue.operand ? &of(*epilogue.operand) : nullptr;
      if (values && !*values) return std::nullopt;
      operands.push_back(values ? &**values : nullptr);
    }
    TensorValues result = compute_reference(graph_, op, inputs, operands);
    if (graph_.tensor(op.output).is_index)
      for (double& value : result) value = std::nearbyint(value);
    return result;
  }

  const Graph& graph_;
  const KnownSource& source_;
  const Computes& computes_;
  std::map<TensorId, std::optional<TensorValues>> values_;
};

}  // namespace

std::optional<TensorValues> evaluate(const Graph& graph, TensorId tensor, const KnownSource& source,
                                     const Computes& computes) {
  return Evaluation(graph, source, computes).of(tensor);
}

}  // namespace tilewright
