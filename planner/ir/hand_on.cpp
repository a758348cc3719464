#include "planner/ir/hand_on.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "planner/ir/contraction.h"

namespace tilewright {
namespace {

// What a part reads of an operand: of A, of B.
using ReadBox = BoxRange (*)(const Contraction& part);

BoxRange read_of_a(const Contraction& part) {
  const GemmShape& s = part.shape();
  return part.a({0, s.batches}, {0, s.m}, {0, s.k}).region.box;
}
BoxRange read_of_b(const Contraction& part) {
  return part.b({0, part.shape().batches}, part.columns(), {0, part.shape().k}).region.box;
}

struct ChainPlace {
  std::optional<std::size_t> front, behind;  // the parts next to it
  std::int64_t number = 0;                   // from the front on
};

std::unique_ptr<Contraction> part_of(const Plan& plan, OperatorId id, std::size_t item) {
  return make_contraction(plan, plan.graph.op(id), plan.operators[id].split.items[item]);
}

// By part, in chains of those that read the same, in the order of the parts.
std::vector<ChainPlace> places_in_chains(const Plan& plan, OperatorId id, ReadBox read) {
  std::vector<ChainPlace> places(plan.operators[id].split.items.size());
  std::map<std::vector<std::int64_t>, std::size_t> last;  // of each chain
  for (std::size_t item = 0; item < places.size(); ++item) {
    std::vector<std::int64_t> key;
    for (const Range& range : read(*part_of(plan, id, item))) key.insert(key.end(), {range.begin, range.end});
    const auto [at, first] = last.try_emplace(std::move(key), item);
    if (first) continue;
    places[item].front = at->second;
    places[item].number = places[at->second].number + 1;
    places[at->second].behind = item;
    at->second = item;
  }
  return places;
}

struct Chains {
  std::vector<ChainPlace> a, b;
  std::int64_t first_step(std::size_t item) const { return a[item].number + b[item].number; }
};

Chains chains_of(const Plan& plan, OperatorId id) {
  const OperatorPlan& planned = plan.operators[id];
  const Tiling& tiling = planned.tilings.front();
  const std::vector<ChainPlace> alone(planned.split.items.size());
  return {tiling.hand_on_a ? places_in_chains(plan, id, read_of_a) : alone,
          tiling.hand_on_b ? places_in_chains(plan, id, read_of_b) : alone};
}

// What decides in which order a part loads what, and where to.
bool loads_alike(const Tiling& x, const Tiling& y) {
  const auto key = [](const Tiling& t) {
    return std::tuple(t.partition_m, t.partition_n, t.partition_k, t.tile_m, t.tile_n, t.outer_rowmajor,
                      t.inner_rowmajor, t.hand_on_a, t.hand_on_b);
  };
  return key(x) == key(y);
}

bool same_sizes(const GemmShape& x, const GemmShape& y) {
  return std::tuple(x.batches, x.m, x.n, x.k) == std::tuple(y.batches, y.m, y.n, y.k);
}

std::string operator_fault(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  if (op.kind != OpKind::kMatMul || op.attributes.channel_factors) return "it is no product of plain operands";
  if (!plan.hardware.kinds.empty()) return "its clusters differ";
  if (plan.hardware.cores() > kHandOnFlags) return fmt::format("the chip has more than {} cores", kHandOnFlags);
  return {};
}

std::string part_fault(const Plan& plan, OperatorId id, std::size_t item) {
  const auto& tilings = plan.operators[id].tilings;
  const auto part = part_of(plan, id, item);
  if (part->partial()) return "its sum is cut between cores";
  if (!tilings[item].need_splitk) return "its sum is one step";
  if (tilings[item].rows_apart) return "its parts begin with different rows";
  if (!loads_alike(tilings[item], tilings.front()) || !same_sizes(part->shape(), part_of(plan, id, 0)->shape()))
    return "its parts differ in size";
  return {};
}

// Whether every part is a step of the sum ahead of those in front of it.
bool in_step(const Chains& chains) {
  for (std::size_t item = 0; item < chains.a.size(); ++item)
    for (const auto& front : {chains.a[item].front, chains.b[item].front})
      if (front && chains.first_step(item) != chains.first_step(*front) + 1) return false;
  return true;
}

}  // namespace

bool waits_until_taken(const Instruction& instruction) {
  const auto* wait = std::get_if<Wait>(&instruction.payload);
  return wait != nullptr && kHandOnFlags <= wait->flag && wait->flag < 2 * kHandOnFlags;
}

bool hands_on(const OperatorPlan& planned) {
  return std::ranges::any_of(planned.tilings, [](const Tiling& t) { return t.hand_on_a || t.hand_on_b; });
}

std::vector<PartHandOns> hand_ons(const Plan& plan, OperatorId id) {
  const auto& items = plan.operators[id].split.items;
  std::vector<PartHandOns> parts(items.size());
  if (!hands_on(plan.operators[id])) return parts;
  const auto core_of = [&](const std::optional<std::size_t>& item) { return item ? items[*item].core : kNoCore; };
  const Chains chains = chains_of(plan, id);
  for (std::size_t item = 0; item < items.size(); ++item) {
    const ChainPlace &a = chains.a[item], &b = chains.b[item];
    parts[item] = {
        {core_of(a.behind), core_of(a.front)}, {core_of(b.behind), core_of(b.front)}, chains.first_step(item)};
  }
  return parts;
}

std::string hand_on_fault(const Plan& plan, OperatorId id) {
  if (!hands_on(plan.operators[id])) return {};
  if (std::string fault = operator_fault(plan, id); !fault.empty()) return fault;
  for (std::size_t item = 0; item < plan.operators[id].split.items.size(); ++item)
    if (std::string fault = part_fault(plan, id, item); !fault.empty()) return fault;
  return in_step(chains_of(plan, id)) ? "" : "its parts are no grid";
}

}  // namespace tilewright
