#include "planner/estimate/store_time.h"

#include <algorithm>
#include <map>
#include <optional>

#include "planner/constants/constants.h"
#include "planner/estimate/bandwidth.h"
#include "planner/ir/access.h"
#include "planner/ir/contraction.h"
#include "planner/ir/in_place.h"
#include "planner/ir/requirement.h"
#include "planner/ir/storage_order.h"

namespace tilewright {
namespace {

// What one core moves.
struct Access {
  int core = 0;
  BoxRange box;
  double times = 1;  // that it moves it
};

// By cluster, elements of the box of `tensor` that lie there.
class Spread {
 public:
  Spread(const Plan& plan, TensorId tensor) : plan_(plan) {
    if (!plan.tensors[tensor].permuted.empty()) order_.emplace(plan, tensor);
    view_ = placed_view(plan, order_ ? order_->storage() : tensor);
  }

  std::vector<double> of(const BoxRange& box) const {
    std::vector<double> elements(plan_.hardware.clusters, 0);
    if (!order_) add(box, elements);
    if (order_)
      for (const StorageBox& part : order_->boxes(box)) add(part.box, elements);
    return elements;
  }

 private:
  void add(const BoxRange& box, std::vector<double>& elements) const {
    const Range& range = box[view_.split_dimension];
    if (range.size() <= 0) return;
    const double whole = static_cast<double>(element_count(box)) / static_cast<double>(range.size());
    for (const PlacedPiece& piece : view_.pieces) {
      const auto common = std::min(range.end, piece.range.end) - std::max(range.begin, piece.range.begin);
      if (common > 0) elements[piece.cluster] += whole * static_cast<double>(common);
    }
  }

  const Plan& plan_;
  std::optional<StorageOrder> order_;
  PlacedView view_;
};

// What the accesses of one operator take.
class AccessTime {
 public:
  AccessTime(const Plan& plan, TensorId tensor, std::size_t cores)
      : hardware_(plan.hardware),
        element_(bytes_of(plan.tensors[tensor].type)),
        spread_(plan, tensor),
        share_(bandwidth_share(plan.hardware, static_cast<int>(cores))) {}

  // What cores of a cluster read alike comes from DRAM once where their loads are shared.
  double in_dram(const std::vector<Access>& accesses, bool read) const {
    std::map<int, double> bytes, cores;  // by cluster
    for (auto access = accesses.begin(); access != accesses.end(); ++access) {
      const int cluster = hardware_.cluster_of(access->core);
      const bool had = std::any_of(accesses.begin(), access, [&](const Access& before) {
        return hardware_.cluster_of(before.core) == cluster && before.box == access->box;
      });
      ++cores[cluster];
      if (!had || !read || !hardware_.shares_loads())
        bytes[cluster] += static_cast<double>(element_count(access->box)) * element_ * access->times;
    }
    double slowest = 0;
    for (const auto& [cluster, moved] : bytes) slowest = std::max(slowest, moved / (share_ * cores[cluster]));
    return slowest;
  }

  double in_clusters(const std::vector<Access>& accesses) const {
    std::vector<double> taken(hardware_.clusters, 0), given(hardware_.clusters, 0);  // over the network
    double slowest = 0;
    for (const Access& access : accesses) {
      const int own = hardware_.cluster_of(access.core);
      const std::vector<double> elements = spread_.of(access.box);
      double remote = 0;
      for (int cluster = 0; cluster < hardware_.clusters; ++cluster) {
        const double bytes = elements[cluster] * element_ * access.times;
        if (cluster == own) slowest = std::max(slowest, bytes / cluster_memory_share(hardware_));
        if (cluster != own) remote += bytes, given[cluster] += bytes;
      }
      taken[own] += remote;
    }
    for (const auto& bytes : {taken, given})
      slowest = std::max(
          slowest, *std::max_element(bytes.begin(), bytes.end()) * constants().peer_memory_cost / peer_peak(hardware_));
    return slowest;
  }

 private:
  const Hardware& hardware_;
  const double element_;
  const Spread spread_;
  const double share_;
};

// How often a product loads operand `tensor`; others load what they need once.
double loads_of(const Plan& plan, OperatorId id, std::size_t item, TensorId tensor) {
  const OperatorPlan& planned = plan.operators[id];
  if (!is_contraction(plan.graph.op(id).kind) || item >= planned.tilings.size()) return 1;
  const auto part = make_contraction(plan, plan.graph.op(id), planned.split.items[item]);
  if (part->tensor_a() == tensor) return planned.tilings[item].load_a;
  return part->tensor_b() == tensor ? planned.tilings[item].load_b : 1;
}

std::vector<Access> writes(const Plan& plan, OperatorId id) {
  std::vector<Access> accesses;
  for (const WorkItem& item : plan.operators[id].split.items)
    if (std::none_of(accesses.begin(), accesses.end(), [&](const Access& other) { return other.box == item.output; }))
      accesses.push_back({item.core, item.output});
  return accesses;
}

std::vector<Access> reads(const Plan& plan, OperatorId id, std::size_t input, TensorId tensor) {
  std::vector<Access> accesses;
  const auto& items = plan.operators[id].split.items;
  for (std::size_t i = 0; i < items.size(); ++i)
    accesses.push_back(
        {items[i].core, required_input(plan, plan.graph.op(id), input, items[i]), loads_of(plan, id, i, tensor)});
  return accesses;
}

}  // namespace

StoreTime store_time(const Plan& plan, TensorId storage) {
  StoreTime sum;
  const auto add = [&](TensorId tensor, const std::vector<Access>& accesses, bool read) {
    if (accesses.empty()) return;
    const AccessTime time(plan, tensor, accesses.size());
    sum.dram += time.in_dram(accesses, read);
    sum.cluster += time.in_clusters(accesses);
  };
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id) {
    if (storage_of(plan, id) != storage) continue;
    const Tensor& tensor = plan.graph.tensor(id);
    const auto works = [&](OperatorId op) { return !needs_no_instruction(plan, plan.graph.op(op)); };
    if (tensor.producer && works(*tensor.producer)) add(id, writes(plan, *tensor.producer), false);
    for (const OperatorId consumer : tensor.consumers) {
      const auto inputs = works(consumer) ? all_inputs(plan.graph.op(consumer)) : std::vector<TensorId>{};
      for (std::size_t input = 0; input < inputs.size(); ++input)
        if (inputs[input] == id) add(id, reads(plan, consumer, input, id), true);
    }
  }
  return sum;
}

}  // namespace tilewright
