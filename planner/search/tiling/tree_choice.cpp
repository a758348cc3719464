#include "planner/search/tiling/tree_choice.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "planner/ir/in_place.h"
#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

class Trees {
 public:
  Trees(const Plan& plan, const SplitOptions& options, double exposed)
      : plan_(plan), options_(options), trial_(plan, options, exposed), nodes_(options.size()) {
    for (const OperatorId id : plan.order)
      if (!options[id].empty()) join(id);
  }

  // The cheapest option of every operator, while what does not lie in its tree is as chosen before.
  void improve() {
    for (auto id = plan_.order.rbegin(); id != plan_.order.rend(); ++id)
      if (!options_[*id].empty()) value(*id);
    for (const OperatorId id : plan_.order)
      if (!options_[id].empty()) choose(id);
  }

  std::size_t chosen(OperatorId id) const { return nodes_[id].chosen; }
  double time() const {
    double sum = 0;
    for (const OperatorId id : plan_.order)
      if (!options_[id].empty()) sum += trial_.time(id, nodes_[id].chosen);
    return sum;
  }

 private:
  struct Node {
    std::optional<OperatorId> parent;
    std::vector<OperatorId> children;
    std::size_t chosen = 0;
    std::vector<double> below;      // by option: the least time of everything below it
    std::vector<std::size_t> best;  // by option of the parent
  };

  // Below the operator that writes the largest of what it reads.
  void join(OperatorId id) {
    std::int64_t most = 0;
    for (const TensorId input : all_inputs(plan_.graph.op(id))) {
      const Tensor& tensor = plan_.graph.tensor(input);
      const auto writers = writers_of(plan_, input);
      if (writers.empty() || options_[writers.front()].empty() || element_count(tensor.shape) <= most) continue;
      most = element_count(tensor.shape);
      nodes_[id].parent = writers.front();
    }
    if (nodes_[id].parent) nodes_[*nodes_[id].parent].children.push_back(id);
  }

  std::pair<double, std::size_t> cheapest(OperatorId id) const {
    std::pair<double, std::size_t> best{std::numeric_limits<double>::infinity(), 0};
    for (std::size_t option = 0; option < options_[id].size(); ++option)
      best = std::min(best, {trial_.time(id, option) + nodes_[id].below[option], option});
    return best;
  }

  void value(OperatorId id) {
    Node& node = nodes_[id];
    node.below.assign(options_[id].size(), 0);
    for (const OperatorId child : node.children) nodes_[child].best.clear();
    for (std::size_t option = 0; option < options_[id].size(); ++option) {
      trial_.choose(id, option);
      for (const OperatorId child : node.children) {
        const auto [time, best] = cheapest(child);
        node.below[option] += time;
        nodes_[child].best.push_back(best);
      }
    }
    trial_.choose(id, node.chosen);
  }

  void choose(OperatorId id) {
    Node& node = nodes_[id];
    node.chosen = node.parent ? node.best[nodes_[*node.parent].chosen] : cheapest(id).second;
    trial_.choose(id, node.chosen);
  }

  const Plan& plan_;
  const SplitOptions& options_;
  LayoutTrial trial_;
  std::vector<Node> nodes_;
};

}  // namespace

TreeChoice choose_in_trees(const Plan& plan, const SplitOptions& options, double exposed) {
  Trees trees(plan, options, exposed);
  TreeChoice choice;
  choice.time_before = trees.time();
  for (int round = 0; round < 2; ++round) trees.improve();
  choice.time = trees.time();
  for (OperatorId id = 0; id < static_cast<OperatorId>(options.size()); ++id) choice.chosen.push_back(trees.chosen(id));
  return choice;
}

}  // namespace tilewright
