#include "planner/passes/allocate/cluster_stores.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "planner/constants/constants.h"
#include "planner/estimate/store_time.h"
#include "planner/ir/access.h"
#include "planner/ir/group.h"
#include "planner/ir/in_place.h"
#include "planner/ir/requirement.h"
#include "planner/passes/allocate/cluster_memory.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Whether an operator of the program writes it, and nothing outside the program reads or writes it.
bool can_stay(const Plan& plan, TensorId id, const std::vector<bool>& hidden) {
  const Tensor& tensor = plan.graph.tensor(id);
  return plan.tensors[id].alias_of < 0 && plan.tensors[id].parts.empty() && hidden[id] && tensor.producer &&
         made_by(plan.graph, id) == tensor.producer && !tensor.shape.empty() && !stays_on_core(plan, id);
}

void set_store(Plan& plan, TensorId storage, Store store) {
  for (TensorId id = 0; id < static_cast<TensorId>(plan.labels.size()); ++id)
    if (storage_of(plan, id) == storage) plan.labels[id].dynamic.store = store;
}

// All that is no output and stays on no core lies in DRAM unless it is chosen; inputs and constants always do.
void begin_in_dram(Plan& plan) {
  for (TensorId id = 0; id < static_cast<TensorId>(plan.labels.size()); ++id)
    if (plan.graph.tensor(id).kind != TensorKind::kOutput && !stays_on_core(plan, id))
      plan.labels[id].dynamic.store = {};
}

void take(Plan& plan, TensorId id, Store store, const TensorCuts& cuts) {
  set_store(plan, id, store);
  set_cluster_pieces(plan, id, cuts);
}

// Next to those who write it; where they are all of one cluster, the label names it.
void take_near(Plan& plan, TensorId id, const TensorCuts& cuts) {
  take(plan, id, {StoreLevel::kCluster}, cuts);
  const auto& pieces = plan.tensors[id].pieces;
  if (pieces.size() == 1) set_store(plan, id, {StoreLevel::kCluster, pieces.front().cluster + 1});
}

void leave(Plan& plan, TensorId id) {
  set_store(plan, id, {});
  plan.tensors[id].pieces.clear();
}

struct Candidate {
  TensorId tensor = -1;
  double gain = 0;  // core clocks per byte and operator that it is kept for
};

// By gain.
std::vector<Candidate> worthwhile(Plan& plan, const TensorCuts& cuts, const ClusterMemory& memory) {
  const std::vector<bool> hidden = hidden_memory(plan);
  std::vector<Candidate> candidates;
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id) {
    if (!can_stay(plan, id, hidden)) continue;
    take_near(plan, id, cuts);
    const StoreTime time = store_time(plan, id);
    const Lifetime& life = memory.life_of(id);
    leave(plan, id);
    const double held = static_cast<double>(bytes_of_tensor(plan, id)) * (life.last - life.first + 1);
    if (time.cluster + constants().store_gain_cycles < time.dram)
      candidates.push_back({id, (time.dram - time.cluster) / held});
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.gain > b.gain; });
  return candidates;
}

void choose_by_time(Plan& plan, const TensorCuts& cuts) {
  const ClusterMemory memory(plan);
  for (const Candidate& candidate : worthwhile(plan, cuts, memory)) {
    take_near(plan, candidate.tensor, cuts);
    if (!memory.place(plan)) leave(plan, candidate.tensor);
  }
}

// Stores that users give, tensor by tensor.
class GivenStores {
 public:
  GivenStores(Plan& plan, const TensorCuts& cuts)
      : plan_(plan), cuts_(cuts), memory_(plan), hidden_(hidden_memory(plan)) {}

  void set(const StoreChoice::Row& row) {
    check_chip(row);
    for (const std::string& name : row.tensors) set(name, row);
  }

 private:
  void check_chip(const StoreChoice::Row& row) const {
    if (row.store.level == StoreLevel::kMem) return;
    const auto& memory = plan_.hardware.cluster_memory;
    if (!memory || memory->addressed_capacity() == 0)
      throw UserError(row.where, fmt::format("store: got '{}', but '{}' has no addressed cluster memory",
                                             to_text(row.store), plan_.hardware.name));
    if (row.store.number > plan_.hardware.clusters)
      throw UserError(row.where,
                      fmt::format("store: got '{}', but '{}' has {} cluster{}", to_text(row.store), plan_.hardware.name,
                                  plan_.hardware.clusters, plan_.hardware.clusters == 1 ? "" : "s"));
  }

  TensorId find(const std::string& name, const StoreChoice::Row& row) const {
    if (const auto id = plan_.graph.find_tensor(name)) return *id;
    throw UserError(row.where, fmt::format("the network, as folded and fused, has no tensor '{}'", name));
  }

  void set(const std::string& name, const StoreChoice::Row& row) {
    const TensorId id = find(name, row), storage = storage_of(plan_, id);
    if (stays_on_core(plan_, storage))
      throw UserError(row.where,
                      fmt::format("'{}' stays in the buffers of the cores: its operators are a group", name));
    if (const auto given = given_.find(storage); given != given_.end() && given->second != row.store)
      throw UserError(row.where, fmt::format("'{}' lies in the memory of '{}', whose store is '{}'", name,
                                             plan_.graph.tensor(storage).name, to_text(given->second)));
    given_[storage] = row.store;
    if (row.store.level == StoreLevel::kMem) return;
    if (!can_stay(plan_, storage, hidden_))
      throw UserError(row.where, fmt::format("'{}' is no result between operators: it lies in DRAM", name));
    take(plan_, storage, row.store, cuts_);
    if (!memory_.place(plan_)) no_room(storage, row);
  }

  [[noreturn]] void no_room(TensorId storage, const StoreChoice::Row& row) const {
    const TensorPlan& placed = plan_.tensors[storage];
    Bytes most = 0;
    for (const PlacedPiece& piece : placed.pieces)
      most = std::max(most, piece_bytes(placed, plan_.graph.tensor(storage).shape, piece));
    throw UserError(
        row.where,
        fmt::format("store: '{}' has no room for '{}' in '{}': {} bytes beside what is there at the same time, of {}",
                    plan_.hardware.name, plan_.graph.tensor(storage).name, to_text(row.store), most,
                    memory_.room(placed.pieces.front().cluster)));
  }

  Plan& plan_;
  const TensorCuts& cuts_;
  const ClusterMemory memory_;
  const std::vector<bool> hidden_;
  std::map<TensorId, Store> given_;
};

// Operands are read where their tensors lie.
void set_operand_labels(Plan& plan) {
  for (const OperatorId id : plan.order) {
    const auto inputs = all_inputs(plan.graph.op(id));
    auto& labels = plan.operators[id].labels.inputs;
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (plan.graph.tensor(inputs[i]).kind != TensorKind::kOutput)
        labels[i].store = plan.labels[inputs[i]].dynamic.store;
  }
}

}  // namespace

void choose_stores(Plan& plan, const TensorCuts& cuts) {
  begin_in_dram(plan);
  if (plan.options.stores) {
    GivenStores given(plan, cuts);
    for (const StoreChoice::Row& row : plan.options.stores->rows) given.set(row);
  } else if (plan.hardware.cluster_memory && plan.hardware.cluster_memory->addressed_capacity() > 0) {
    choose_by_time(plan, cuts);
  }
  set_operand_labels(plan);
}

bool lies_in_clusters(const Plan& plan, TensorId id) {
  return plan.graph.tensor(id).kind == TensorKind::kHidden &&
         plan.labels[id].dynamic.store.level == StoreLevel::kCluster;
}

void set_cluster_pieces(Plan& plan, TensorId id, const TensorCuts& cuts) {
  TensorPlan& placed = plan.tensors[id];
  const Cut cut = cuts.in_clusters(id, plan.labels[id].dynamic.store.number);
  placed.split_dimension = cut.dimension;
  placed.pieces.clear();
  for (const auto& [range, cluster] : cut.ranges)
    placed.pieces.push_back({range, 0, plan.hardware.local_region(cluster), cluster});
}

}  // namespace tilewright
