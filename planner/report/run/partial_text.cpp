#include "planner/report/run/partial_text.h"

#include <fmt/format.h>

#include <vector>

namespace tilewright {
namespace {

class PartialNames {
 public:
  PartialNames(const Plan& plan, OperatorId id, std::size_t item) : plan_(plan), op_(plan.operators[id]) {
    const BoxRange& box = op_.split.items[item].output;
    product_.resize(op_.split.items.size());
    sum_.resize(op_.split.items.size());
    for (std::size_t i = 0; i < product_.size(); ++i)
      if (op_.split.items[i].output == box) product_[i] = ++last_;
    for (std::size_t i = 0; i < sum_.size(); ++i)
      if (op_.split.items[i].output == box) sum_[i] = inner_children(i).empty() ? product_[i] : ++last_;
  }

  int cluster_of(std::size_t item) const { return plan_.hardware.cluster_of(op_.split.items[item].core); }
  std::vector<int> inner_children(std::size_t item) const { return children(item, true); }
  std::vector<int> outer_children(std::size_t item) const { return children(item, false); }
  std::string product(std::size_t item) const { return fmt::format("O{}", product_[item]); }
  std::string sum(std::size_t item) const { return fmt::format("O{}", sum_[item]); }  // of its cluster
  std::string result() const { return fmt::format("O{}", last_ + 1); }

 private:
  std::vector<int> children(std::size_t item, bool inner) const {
    std::vector<int> chosen;
    for (const int child : op_.partials[item].children)
      if ((cluster_of(child) == cluster_of(item)) == inner) chosen.push_back(child);
    return chosen;
  }

  const Plan& plan_;
  const OperatorPlan& op_;
  std::vector<int> product_, sum_;
  int last_ = 0;
};

std::string place_of(const Plan& plan, const PartialPlan& partial, int core) {
  if (partial.space == Space::kDram) return fmt::format("mem{}", partial.region + 1);
  std::string text = fmt::format("cluster{}", plan.hardware.cluster_of(core) + 1);
  if (partial.copy >= 0)
    text += fmt::format(", copied to mem{}", partial.copy / plan.hardware.dram.region_capacity() + 1);
  return text;
}

std::string result_place(const Plan& plan, TensorId output) {
  std::string text;
  for (const PlacedPiece& piece : plan.tensors[output].pieces) text += fmt::format(" mem{}", piece.region + 1);
  return text;
}

std::string line(const std::string& text) { return "      " + text + "\n"; }

}  // namespace

std::string partial_text(const Plan& plan, OperatorId id, std::size_t item) {
  const OperatorPlan& planned = plan.operators[id];
  if (planned.partials.empty()) return "";
  const PartialNames names(plan, id, item);
  const PartialPlan& partial = planned.partials[item];
  const auto place = [&](const std::string& what) {
    return line(fmt::format("{} -> {}, signals core {}", what, place_of(plan, partial, planned.split.items[item].core),
                            planned.split.items[partial.parent].core + 1));
  };
  const auto inner = names.inner_children(item), outer = names.outer_children(item);
  if (partial.children.empty()) return place(names.product(item) + " = its product");
  std::string text = line(names.product(item) + " = its product, kept");
  std::string sum = names.product(item);
  for (const int child : inner) sum += " + " + names.product(child);
  if (!inner.empty()) sum = fmt::format("{} = {}", names.sum(item), sum);
  if (partial.parent >= 0) return text + place(sum);
  if (!inner.empty()) text += line(sum + (outer.empty() ? "" : ", kept"));
  std::string result = names.sum(item);
  for (const int child : outer) result += " + " + names.sum(child);
  if (!outer.empty()) text += line(fmt::format("{} = {}", names.result(), result));
  return text + line(fmt::format("{} ->{}", outer.empty() ? names.sum(item) : names.result(),
                                 result_place(plan, plan.graph.op(id).output)));
}

}  // namespace tilewright
