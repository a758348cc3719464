#include "planner/passes/link/link_barriers.h"

#include <algorithm>
#include <utility>

#include "planner/ir/access.h"
#include "planner/ir/group.h"
#include "planner/ir/in_place.h"
#include "planner/ir/memory_sharing.h"
#include "planner/ir/partials.h"
#include "planner/ir/requirement.h"
#include "planner/ir/sharing.h"

namespace tilewright {
namespace {

void add_pieces(const Plan& plan, TensorId storage, int barrier, std::vector<RemoteRange>& ranges) {
  const Shape& shape = plan.graph.tensor(storage).shape;
  const TensorPlan& placed = plan.tensors[storage];
  for (const PlacedPiece& piece : placed.pieces)
    ranges.push_back({piece.address, piece.address + piece_bytes(placed, shape, piece), barrier});
}

}  // namespace

BarrierPlan::BarrierPlan(const Plan& plan)
    : plan_(plan), position_(plan.operators.size(), -1), lay_before_(plan.tensors.size()) {
  for (std::size_t at = 0; at < plan.order.size(); ++at) position_[plan.order[at]] = static_cast<int>(at);
  find_shared();
}

void BarrierPlan::find_shared() {
  std::vector<int> number(plan_.tensors.size(), -1);
  for (const MemoryRun& run : memory_runs(plan_))
    for (const PlacedMemory& before : run.pieces) {
      bool shared = false;
      for (const PlacedMemory& after : run.pieces) {
        if (after.life.first <= before.life.last || !after.overlaps(before)) continue;
        if (number[before.tensor] < 0) {
          number[before.tensor] = static_cast<int>(shared_.size());
          shared_.push_back({before.tensor, before.life.last, {}});
        }
        shared = true;
        lay_before_[after.tensor].push_back(number[before.tensor]);
      }
      if (shared) shared_[number[before.tensor]].pieces.push_back({before.begin, before.end});
    }
}

std::set<int> BarrierPlan::cores_of(TensorId storage) const {
  std::set<int> cores;
  for (TensorId id = 0; id < static_cast<TensorId>(plan_.tensors.size()); ++id) {
    if (storage_of(plan_, id) != storage) continue;
    std::vector<OperatorId> users;
    for (const TensorReader& reader : readers_of(plan_.graph, id)) users.push_back(reader.op);
    if (const auto maker = made_by(plan_.graph, id)) users.push_back(*maker);
    for (const OperatorId user : users)
      for (const WorkItem& item : plan_.operators[user].split.items) cores.insert(item.core);
  }
  return cores;
}

bool BarrierPlan::must_wait_for_memory(OperatorId id) const {
  for (const OperatorId member : computed_by(plan_, id))
    for (const TensorId output : storages_of(plan_, plan_.graph.op(member).output))
      for (const std::size_t before : lay_before_[output]) {
        if (shared_[before].released) continue;
        std::set<int> cores = cores_of(shared_[before].tensor);
        for (const WorkItem& item : plan_.operators[id].split.items) cores.insert(item.core);
        if (cores.size() > 1) return true;
      }
  return false;
}

std::vector<AddressRange> BarrierPlan::release(int position) {
  std::vector<AddressRange> ranges = std::exchange(partials_, {});
  for (Shared& shared : shared_) {
    if (shared.released || shared.last_use >= position) continue;
    shared.released = true;
    ranges.insert(ranges.end(), shared.pieces.begin(), shared.pieces.end());
  }
  return ranges;
}

std::vector<AddressRange> BarrierPlan::partials_of(OperatorId id) const {
  std::vector<AddressRange> ranges;
  if (!partials_in_turn(plan_)) return ranges;
  for (const OperatorId member : computed_by(plan_, id))
    for (const PartialPlan& partial : plan_.operators[member].partials)
      if (partial.in_dram()) ranges.push_back({partial.place.address, partial.place.address + partial.bytes});
  return ranges;
}

int BarrierPlan::barrier_after(int position) const {
  return static_cast<int>(std::upper_bound(barriers_.begin(), barriers_.end(), position) - barriers_.begin());
}

// By the operand's label: none where nobody else needs a piece; those that read what others wrote; where the label says
// that others need it although they do not, all.
std::vector<int> BarrierPlan::cores_that_wait(OperatorId id, OperatorId writer, std::size_t input) const {
  const Swap swap = plan_.operators[id].labels.inputs[input].swap;
  std::vector<int> cores;
  if (swap == Swap::kNo) return cores;
  for (const Crossing& crossing : crossings(plan_, id, writer, input)) cores.push_back(crossing.reader);
  if (plan_.options.strategies && needed_swap(plan_, id, input) < swap)
    for (const WorkItem& item : plan_.operators[id].split.items) cores.push_back(item.core);
  return cores;
}

void BarrierPlan::add_reads(OperatorId id, BarrierStep& step) const {
  const auto inputs = all_inputs(plan_.graph.op(id));
  const int known = static_cast<int>(barriers_.size());
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    if (stays_on_core(plan_, inputs[input])) continue;
    const std::vector<TensorId> storages = storages_of(plan_, inputs[input]);
    for (const OperatorId writer : writers_of(plan_, inputs[input])) {
      const std::vector<int> cores = cores_that_wait(id, writer, input);
      const int barrier = barrier_after(position_[writer]);
      step.barrier |= !cores.empty() && barrier == known;
      for (const int core : cores)
        for (const TensorId storage : storages) add_pieces(plan_, storage, barrier, step.remote[core]);
    }
  }
}

BarrierStep BarrierPlan::next(OperatorId id) {
  BarrierStep step{.remote = std::vector<std::vector<RemoteRange>>(plan_.hardware.cores())};
  for (const OperatorId member : computed_by(plan_, id)) add_reads(member, step);
  step.barrier |= must_wait_for_memory(id);
  std::vector<AddressRange> partials = partials_of(id);
  step.barrier |= !partials.empty() && !partials_.empty();
  if (step.barrier) barriers_.push_back(position_[id]);
  if (step.barrier) step.released = release(position_[id]);
  if (!partials.empty()) partials_ = std::move(partials);
  return step;
}

}  // namespace tilewright
