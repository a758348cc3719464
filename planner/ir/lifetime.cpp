#include "planner/ir/lifetime.h"

#include <algorithm>

#include "planner/ir/access.h"
#include "planner/ir/group.h"
#include "planner/ir/in_place.h"

namespace tilewright {

std::vector<Lifetime> lifetimes(const Plan& plan) {
  const int end = static_cast<int>(plan.order.size()) - 1;
  std::vector<int> position(plan.order.size());
  for (int at = 0; at <= end; ++at) position[plan.order[at]] = at;
  const auto tensors = static_cast<TensorId>(plan.graph.tensors().size());
  std::vector<Lifetime> of_storage(tensors, {end, 0});
  for (TensorId id = 0; id < tensors; ++id) {
    const Tensor& tensor = plan.graph.tensor(id);
    Lifetime& life = of_storage[storage_of(plan, id)];
    const auto maker = made_by(plan.graph, id);
    life.first = std::min(life.first, maker ? position[root_of(plan, *maker)] : 0);
    life.last = std::max(life.last, life.first);
    for (const TensorReader& reader : readers_of(plan.graph, id))
      life.last = std::max(life.last, position[root_of(plan, reader.op)]);
    if (tensor.kind != TensorKind::kHidden) life.last = end;
  }
  std::vector<Lifetime> lives;
  for (TensorId id = 0; id < tensors; ++id) lives.push_back(of_storage[storage_of(plan, id)]);
  return lives;
}

std::vector<bool> hidden_memory(const Plan& plan) {
  std::vector<bool> hidden(plan.tensors.size(), true);
  for (TensorId id = 0; id < static_cast<TensorId>(hidden.size()); ++id)
    if (plan.graph.tensor(id).kind != TensorKind::kHidden) hidden[storage_of(plan, id)] = false;
  for (TensorId id = 0; id < static_cast<TensorId>(hidden.size()); ++id) hidden[id] = hidden[storage_of(plan, id)];
  return hidden;
}

bool has_own_dram(const Plan& plan, TensorId tensor) {
  const TensorPlan& placed = plan.tensors[tensor];
  return placed.alias_of < 0 && placed.parts.empty() && !stays_on_core(plan, tensor) &&
         !lies_in_cluster_memory(plan, tensor);
}

Bytes bytes_of_tensor(const Plan& plan, TensorId tensor) {
  return element_count(plan.graph.tensor(tensor).shape) * bytes_of(plan.tensors[tensor].type);
}

Bytes peak_memory(const Plan& plan) {
  const auto lives = lifetimes(plan);
  std::vector<Bytes> change(plan.order.size() + 1, 0);
  for (TensorId id = 0; id < static_cast<TensorId>(lives.size()); ++id) {
    if (!has_own_dram(plan, id)) continue;
    change[lives[id].first] += bytes_of_tensor(plan, id);
    change[lives[id].last + 1] -= bytes_of_tensor(plan, id);
  }
  Bytes now = 0, peak = 0;
  for (const Bytes bytes : change) peak = std::max(peak, now += bytes);
  return peak;
}

}  // namespace tilewright
