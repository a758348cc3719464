#include "planner/passes/decompose/choose_cuts.h"

#include <algorithm>

#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

using DimensionCuts = std::vector<DimensionCut>;

// What one operator reads and writes, cut in several ways.
class CutCost {
 public:
  CutCost(const Plan& plan, const Operator& op, const PartLimit& limit)
      : plan_(plan), op_(op), limit_(limit), burst_(plan.hardware.dram.burst_bytes) {
    const auto inputs = all_inputs(op);
    for (std::size_t i = 0; i < inputs.size(); ++i) operands_.push_back({inputs[i], static_cast<std::ptrdiff_t>(i)});
    operands_.push_back({op.output, -1});
  }

  // Bytes of the largest part, as the limit counts them; `beside`: and what else of its tensors is there meanwhile.
  Bytes of_part(const DimensionCuts& cuts, bool beside) const {
    Bytes bytes = 0;
    for (const Operand& operand : operands_) {
      const Bytes whole = data_of(plan_, operand.tensor, limit_);
      if (whole == 0) continue;
      bytes += beside && !never_whole(plan_, operand.tensor, limit_) ? whole : moved(operand, cuts).bytes;
    }
    return bytes;
  }

  // Bytes that all parts move, and a burst for every run.
  double of_all(const DimensionCuts& cuts) const {
    double bytes = 0, parts = 1;
    for (const Operand& operand : operands_) {
      const Moved one = moved(operand, cuts);
      bytes += static_cast<double>(one.bytes + one.runs * burst_);
    }
    for (const DimensionCut& cut : cuts) parts *= static_cast<double>(cut.parts);
    return bytes * parts;
  }

 private:
  struct Operand {
    TensorId tensor;
    std::ptrdiff_t index;  // -1: the output
  };
  struct Moved {
    Bytes bytes = 0;
    std::int64_t runs = 1;
  };

  // By the largest part.
  Moved moved(const Operand& operand, const DimensionCuts& cuts) const {
    Shape shape = plan_.graph.tensor(operand.tensor).shape;
    int inner = -1;
    for (const DimensionCut& cut : cuts) {
      const int d = cut.rule.dimension;
      const int own = operand.index < 0 ? d : cut_dimension(plan_.graph.tensors(), op_, operand.index, d);
      if (own < 0) continue;
      shape[own] = ceil_div(shape[own] * cut.rule.largest(cut.parts), cut.rule.size);
      inner = std::max(inner, own);
    }
    Moved part{element_count(shape) * bytes_of(stored_type(plan_.graph.tensor(operand.tensor), plan_.options.type)), 1};
    for (int d = 0; d < inner; ++d) part.runs *= shape[d];
    return part;
  }

  const Plan& plan_;
  const Operator& op_;
  const PartLimit& limit_;
  Bytes burst_;
  std::vector<Operand> operands_;
};

// Numbers of parts that make different largest parts, ascending.
std::vector<std::int64_t> part_counts(std::int64_t units) {
  std::vector<std::int64_t> counts{1};
  for (std::int64_t size = units; size > 1; size = ceil_div(units, counts.back()))
    counts.push_back(ceil_div(units, size - 1));
  return counts;
}

class CutChoice {
 public:
  CutChoice(const Plan& plan, const Operator& op, const PartLimit& limit, const std::vector<CutRule>& rules,
            bool beside)
      : cost_(plan, op, limit), rules_(rules), most_(limit.most), beside_(beside) {}

  std::optional<DimensionCuts> run() {
    for (std::size_t dimensions = 1; dimensions <= std::min<std::size_t>(3, rules_.size()); ++dimensions) {
      if (dimensions == 3 && best_) break;
      DimensionCuts cuts;
      extend(cuts, 0, dimensions);
    }
    return best_;
  }

 private:
  // All but the last dimension by every number of parts, the last by the fewest that fit.
  void extend(DimensionCuts& cuts, std::size_t from, std::size_t dimensions) {
    for (std::size_t i = from; i < rules_.size(); ++i) {
      const auto counts = part_counts(rules_[i].units);
      cuts.push_back({rules_[i], 1});
      if (cuts.size() == dimensions) {
        finish(cuts, counts);
      } else {
        for (const std::int64_t parts : counts) {
          cuts.back().parts = parts;
          if (parts > 1) extend(cuts, i + 1, dimensions);
        }
      }
      cuts.pop_back();
    }
  }

  void finish(DimensionCuts& cuts, const std::vector<std::int64_t>& counts) {
    auto fits = std::partition_point(counts.begin(), counts.end(), [&](std::int64_t parts) {
      cuts.back().parts = parts;
      return cost_.of_part(cuts, beside_) > most_;
    });
    if (cuts.size() == 1 && fits == counts.begin()) ++fits;  // it may not stay whole
    if (fits == counts.end()) return;
    cuts.back().parts = *fits;
    if (*fits == 1) return;  // cuts of fewer dimensions, which have been tried
    const double cost = cost_.of_all(cuts);
    if (best_ && cost >= least_) return;
    best_ = cuts;
    least_ = cost;
  }

  CutCost cost_;
  const std::vector<CutRule>& rules_;
  Bytes most_;
  bool beside_;
  std::optional<DimensionCuts> best_;
  double least_ = 0;
};

// A part lies in the tensor that it is a part of.
TensorKind kind_of(const Graph& graph, TensorId id) {
  const Tensor& tensor = graph.tensor(id);
  const auto is_part = [&](OperatorId op, OpKind kind) {
    return graph.op(op).kind == kind && graph.op(op).attributes.part;
  };
  if (tensor.producer && is_part(*tensor.producer, OpKind::kSlice))
    return kind_of(graph, graph.op(*tensor.producer).inputs[0]);
  if (tensor.consumers.size() == 1 && is_part(tensor.consumers[0], OpKind::kConcat))
    return kind_of(graph, graph.op(tensor.consumers[0]).output);
  return tensor.kind;
}

}  // namespace

Bytes data_of(const Plan& plan, TensorId tensor, const PartLimit& limit) {
  const Tensor& data = plan.graph.tensor(tensor);
  if (limit.only_hidden && kind_of(plan.graph, tensor) != TensorKind::kHidden) return 0;
  return element_count(data.shape) * bytes_of(stored_type(data, plan.options.type));
}

Bytes data_of(const Plan& plan, const Operator& op, const PartLimit& limit) {
  Bytes bytes = data_of(plan, op.output, limit);
  for (const TensorId input : all_inputs(op)) bytes += data_of(plan, input, limit);
  return bytes;
}

bool never_whole(const Plan& plan, TensorId tensor, const PartLimit& limit) {
  return plan.graph.tensor(tensor).kind == TensorKind::kHidden && data_of(plan, tensor, limit) > limit.whole;
}

std::optional<std::vector<DimensionCut>> choose_cuts(const Plan& plan, const Operator& op, const PartLimit& limit,
                                                     const std::vector<CutRule>& rules) {
  const auto cuts = CutChoice(plan, op, limit, rules, limit.only_hidden).run();
  return cuts || !limit.only_hidden ? cuts : CutChoice(plan, op, limit, rules, false).run();
}

}  // namespace tilewright
