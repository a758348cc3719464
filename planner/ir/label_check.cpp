#include "planner/ir/label_check.h"

#include <algorithm>
#include <map>
#include <set>

#include "planner/ir/access.h"
#include "planner/ir/group.h"
#include "planner/ir/hand_on.h"
#include "planner/ir/label_fields.h"
#include "planner/ir/lifetime.h"
#include "planner/ir/partials.h"
#include "planner/ir/requirement.h"
#include "sim/base/distinct.h"
#include "sim/base/error.h"
#include "sim/isa/chip_map.h"
#include "sim/isa/operand.h"
#include "sim/isa/request_splitter.h"

namespace tilewright {
namespace {

// Bytes of the chip's map.
struct Place {
  Address begin = 0, end = 0;
  TensorId tensor = -1;  // -1: a partial result
};

// Cores in ascending order, added one program after the other.
struct CoreList {
  std::vector<int> cores;
  void add(int core) {
    if (cores.empty() || cores.back() != core) cores.push_back(core);
  }
};

// From one core to another, of one operator.
struct HandOver {
  OperatorId op = 0;
  int from = 0, to = 0;
  auto operator<=>(const HandOver&) const = default;
};

class LabelCheck {
 public:
  explicit LabelCheck(const Plan& plan)
      : plan_(plan),
        map_(plan.hardware),
        places_(plan.operators.size()),
        traffic_(plan.tensors.size()),
        writers_(plan.tensors.size()),
        readers_(plan.tensors.size()) {
    for (const OperatorId id : plan.order) {
      find_places(id);
      find_hand_ons(id);
    }
  }

  void add(const Instruction& instruction, int core) {
    if (const auto* signal = std::get_if<Signal>(&instruction.payload); signal && signal->flag >= kPartialFlags)
      signalled_.insert({instruction.op - 1, core, signal->core});
    const auto* transfer = std::get_if<Transfer>(&instruction.payload);
    if (transfer == nullptr) return;
    if (transfer->sums()) check_sum(instruction.op - 1, core);
    for (const Operand& operand : operands_of(instruction))
      if (is_memory(operand.space, operand.owner) && !is_taken(operand, instruction.op - 1, core))
        add(operand, instruction.op - 1, core, element_count(unpadded(*transfer)) * bytes_of(transfer->type));
  }

  std::vector<TensorTraffic> finish() {
    const std::vector<bool> hidden = hidden_memory(plan_);
    for (TensorId id = 0; id < static_cast<TensorId>(traffic_.size()); ++id) {
      const Tensor& tensor = plan_.graph.tensor(id);
      if (!hidden[id] || plan_.tensors[id].alias_of >= 0 || !plan_.tensors[id].parts.empty() || !tensor.producer ||
          stays_on_core(plan_, id))
        continue;
      SIM_CHECK(traffic_[id].written >= bytes_of_tensor(plan_, id), "of '{}', {} bytes, the program writes {}",
                tensor.name, bytes_of_tensor(plan_, id), traffic_[id].written);
      check_swap(id);
    }
    check_hand_overs();
    check_hand_ons();
    for (const OperatorId id : plan_.order) check_sums(id);
    return std::move(traffic_);
  }

 private:
  void find_places(OperatorId id) {
    std::vector<TensorId> storages = storages_of(plan_, plan_.graph.op(id).output);
    for (const TensorId input : all_inputs(plan_.graph.op(id)))
      for (const TensorId storage : storages_of(plan_, input)) storages.push_back(storage);
    keep_distinct(storages);
    for (const TensorId tensor : storages)
      for (const PlacedPiece& piece : plan_.tensors[tensor].pieces) {
        const Bytes bytes = piece_bytes(plan_.tensors[tensor], plan_.graph.tensor(tensor).shape, piece);
        places_[id].push_back({piece.address, piece.address + bytes, tensor});
        for (const PieceCopy& copy : piece.copies) places_[id].push_back({copy.address, copy.address + bytes, tensor});
      }
    for (std::size_t i = 0; i < plan_.operators[id].partials.size(); ++i) add_partial(id, i);
    std::sort(places_[id].begin(), places_[id].end(), [](const Place& a, const Place& b) { return a.begin < b.begin; });
  }

  void find_hand_ons(OperatorId id) {
    const std::vector<PartHandOns> parts = hand_ons(plan_, id);
    for (std::size_t item = 0; item < parts.size(); ++item)
      for (const HandOn& part : {parts[item].a, parts[item].b})
        if (part.from != kNoCore) takes_[{id, part.from, plan_.operators[id].split.items[item].core}] = false;
  }

  // An operand that a core takes out of another one's buffer, as the tiling says.
  bool is_taken(const Operand& operand, OperatorId id, int core) {
    if (operand.space == Space::kDram || operand.space == Space::kCluster) return false;
    const auto take = takes_.find({id, operand.owner, core});
    SIM_CHECK(take != takes_.end(), "'{}' takes from core {} on core {}, and its tiling hands nothing on there",
              plan_.graph.op(id).name, operand.owner, core);
    return take->second = true;
  }

  void check_hand_ons() const {
    for (const auto& [take, seen] : takes_)
      SIM_CHECK(seen, "core {} takes nothing of '{}' from core {}, and its tiling says so", take.to,
                plan_.graph.op(take.op).name, take.from);
  }

  // What nobody else needs is read on the cores that write it, what cores of a cluster need in its clusters.
  void check_swap(TensorId id) const {
    const Swap swap = plan_.labels[id].dynamic.swap;
    const auto place = [&](int core) { return swap == Swap::kNo ? core : plan_.hardware.cluster_of(core); };
    if (swap > Swap::kCore) return;
    for (const int reader : readers_[id].cores)
      SIM_CHECK(std::any_of(writers_[id].cores.begin(), writers_[id].cores.end(),
                            [&](int writer) { return place(writer) == place(reader); }),
                "core {} reads '{}', which it did not write, and its label says {}", reader,
                plan_.graph.tensor(id).name, name_of(swap));
  }

  void check_sum(OperatorId id, int core) {
    const Reduction reduction = plan_.operators[id].labels.output.reduction;
    SIM_CHECK(reduction == Reduction::kNetwork, "the network adds for '{}', and its label says {}",
              plan_.graph.op(id).name, name_of(reduction));
    added_.insert({id, core});
  }

  // What lies in several clusters at one place comes added up, wherever it is handed on.
  void check_sums(OperatorId id) const {
    const OperatorPlan& op = plan_.operators[id];
    if (op.labels.output.reduction != Reduction::kNetwork) return;
    for (std::size_t item = 0; item < op.partials.size(); ++item)
      for (const PartialPlan::Share& share : op.partials[item].shares)
        for (const PartialRead& read : reads_of(op, map_, share)) {
          const int core = op.split.items[item].core;
          const bool handed = std::ranges::all_of(read.items, [&](int from) {
            return signalled_.contains({id, op.split.items[from].core, core});
          });
          SIM_CHECK(read.items.size() == 1 || !handed || added_.contains({id, core}),
                    "the network adds nothing for '{}' on core {}, and its label says network", plan_.graph.op(id).name,
                    core);
        }
  }

  // Partial results are handed on, with a signal, as the reductions that labels name have it.
  void check_hand_overs() const {
    std::set<HandOver> expected;
    for (const OperatorId id : plan_.order) {
      const OperatorPlan& op = plan_.operators[id];
      for (std::size_t item = 0; item < op.partials.size(); ++item)
        for (const PartialPlan::Share& share : op.partials[item].shares)
          if (share.parent >= 0) expected.insert({id, op.split.items[item].core, op.split.items[share.parent].core});
    }
    // Shares of the smallest tiles may be empty.
    for (const HandOver& sent : signalled_)
      SIM_CHECK(expected.contains(sent), "'{}' signals from core {} to {}, and its label says {}",
                plan_.graph.op(sent.op).name, sent.from, sent.to,
                name_of(plan_.operators[sent.op].labels.output.reduction));
  }

  void add_partial(OperatorId id, std::size_t item) {
    const PartialPlan& partial = plan_.operators[id].partials[item];
    if (partial.bytes == 0) return;
    places_[id].push_back({partial.place.address, partial.place.address + partial.bytes});
  }

  Address address_of(const Operand& operand, int core) const {
    if (operand.space == Space::kDram) return operand.address;
    const bool own = operand.owner == kOwnMemory;
    return map_.base_of(operand.space, own ? plan_.hardware.cluster_of(core) : operand.owner) + operand.address;
  }

  void add(const Operand& operand, OperatorId id, int core, Bytes bytes) {
    const std::string& name = plan_.graph.op(id).name;
    const Address begin = address_of(operand, core), end = begin + (footprint_of(operand).high() - operand.address);
    const auto& places = places_.at(id);
    auto place = std::upper_bound(places.begin(), places.end(), begin,
                                  [](Address at, const Place& candidate) { return at < candidate.begin; });
    SIM_CHECK(place != places.begin() && end <= std::prev(place)->end,
              "'{}' reaches {}@{:#x} on core {}, where none of its tensors lies", name,
              place_name(operand.space, operand.owner), operand.address, core);
    const TensorId tensor = std::prev(place)->tensor;
    if (tensor < 0) return;
    (operand.write ? traffic_[tensor].written : traffic_[tensor].read) += bytes;
    (operand.write ? writers_[tensor] : readers_[tensor]).add(core);
    SIM_CHECK(agrees(tensor, begin), "'{}' finds '{}' at {}@{:#x} on core {}, and its label says {}", name,
              plan_.graph.tensor(tensor).name, place_name(operand.space, operand.owner), operand.address, core,
              to_text(plan_.labels[tensor].dynamic.store));
  }

  // Labels of outputs, which lie in DRAM, say where their partial results meet.
  bool agrees(TensorId tensor, Address address) const {
    const bool output = plan_.graph.tensor(tensor).kind == TensorKind::kOutput;
    const Store store = output ? Store{} : plan_.labels[tensor].dynamic.store;
    if (map_.is_dram(address)) return store.level == StoreLevel::kMem;
    return store.level == StoreLevel::kCluster &&
           (store.number == 0 || store.number == map_.place_of(address).owner + 1);
  }

  const Plan& plan_;
  const ChipMap map_;
  std::vector<std::vector<Place>> places_;  // by OperatorId: of its tensors and partial results, by address
  std::vector<TensorTraffic> traffic_;
  std::vector<CoreList> writers_, readers_;  // by TensorId
  std::set<HandOver> signalled_;
  std::map<HandOver, bool> takes_;              // operands that are handed on; whether the program does
  std::set<std::pair<OperatorId, int>> added_;  // and the core for which the network adds
};

}  // namespace

std::vector<TensorTraffic> expect_labels_hold(const Plan& plan) {
  expect_fields_hold(plan);
  LabelCheck check(plan);
  for (std::size_t core = 0; core < plan.program.cores.size(); ++core)
    for (const Instruction& instruction : plan.program.cores[core].instructions)
      check.add(instruction, static_cast<int>(core));
  return check.finish();
}

}  // namespace tilewright
