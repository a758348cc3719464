#include <fmt/format.h>

#include <string>
#include <vector>

#include "planner/ir/access.h"
#include "planner/ir/partials.h"
#include "planner/passes/label/label_tensors.h"
#include "planner/report/run/plan_text.h"
#include "sim/base/printable.h"

namespace tilewright {
namespace {

std::string place_of(const PlacedPiece& piece) {
  if (!piece.in_dram()) return fmt::format("cluster{}", piece.cluster + 1);
  std::string text = fmt::format("mem{}", piece.region + 1);
  for (const PieceCopy& copy : piece.copies) text += fmt::format(",mem{}", copy.region + 1);
  return text;
}

std::string result_place(const Plan& plan, TensorId output) {
  std::string text;
  for (const PlacedPiece& piece : plan.tensors[output].pieces) text += " " + place_of(piece);
  return text;
}

std::string line(const std::string& text) { return "      " + text + "\n"; }

// What the core of a part makes of its partial result and of others', a line each. O1, O2 ... are the parts' products;
// where whole tiles are handed on, sums in a cluster follow, then those of several clusters.
class PartialText {
 public:
  PartialText(const Plan& plan, OperatorId id, std::size_t item)
      : plan_(plan),
        id_(id),
        op_(plan.operators[id]),
        product_(op_.split.items.size()),
        sum_(product_),
        total_(product_) {
    int last = 0;
    each_of_box(item, [&](std::size_t i) { product_[i] = ++last; });
    each_of_box(item, [&](std::size_t i) { sum_[i] = children(i, true).empty() ? product_[i] : ++last; });
    each_of_box(item, [&](std::size_t i) { total_[i] = children(i, false).empty() ? sum_[i] : ++last; });
  }

  std::string whole_tiles(std::size_t item) const {
    const auto inner = children(item, true), outer = children(item, false);
    std::vector<std::string> steps{fmt::format("O{} = its product", product_[item])};
    if (!inner.empty()) steps.push_back(added(sum_[item], product_[item], inner));
    if (!outer.empty()) steps.push_back(added(total_[item], sum_[item], outer));
    const PartialPlan::Share& share = op_.partials[item].shares.front();
    std::string text;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) text += line(steps[i] + ", kept");
    if (share.parent >= 0) return text + line(steps.back() + handed_on(item, share));
    return text + line(steps.back()) +
           line(fmt::format("O{} ->{}", total_[item], result_place(plan_, plan_.graph.op(id_).output)));
  }

  std::string shares(std::size_t item) const {
    const PartialPlan& partial = op_.partials[item];
    const ChipMap map(plan_.hardware);
    std::string text = line(fmt::format("O{} = its product, kept", product_[item]));
    for (const PartialPlan::Share& share : partial.shares) {
      std::string sum = fmt::format("share {} of {}: O{}", share.number + 1, partial.shares.size(), product_[item]);
      for (const PartialRead& read : reads_of(op_, map, share)) sum += " + " + brought(read);
      text += line(share.parent >= 0 ? sum + handed_on(item, share)
                                     : fmt::format("{} ->{}", sum, result_place(plan_, plan_.graph.op(id_).output)));
    }
    return text;
  }

 private:
  template <typename Action>
  void each_of_box(std::size_t item, Action action) const {
    for (const std::size_t i : parts_of_box(op_.split.items, item)) action(i);
  }

  int cluster_of(std::size_t item) const { return plan_.hardware.cluster_of(op_.split.items[item].core); }
  std::vector<int> children(std::size_t item, bool inside) const {
    std::vector<int> chosen;
    for (const int child : op_.partials[item].shares.front().children)
      if ((cluster_of(child) == cluster_of(item)) == inside) chosen.push_back(child);
    return chosen;
  }

  // "core 2's", or "(core 2's + core 4's, by the network)".
  std::string brought(const PartialRead& read) const {
    std::vector<std::string> cores;
    for (const int item : read.items) cores.push_back(fmt::format("core {}'s", op_.split.items[item].core + 1));
    const std::string sum = fmt::format("{}", fmt::join(cores, " + "));
    return cores.size() == 1 ? sum : fmt::format("({}, by the network)", sum);
  }

  std::string added(int sum, int own, const std::vector<int>& others) const {
    std::string text = fmt::format("O{} = O{}", sum, own);
    for (const int other : others) text += fmt::format(" + O{}", total_[other]);
    return text;
  }

  std::string handed_on(std::size_t item, const PartialPlan::Share& share) const {
    return fmt::format(" -> {}, signals core {}", place_of(op_.partials[item].place),
                       op_.split.items[share.parent].core + 1);
  }

  const Plan& plan_;
  const OperatorId id_;
  const OperatorPlan& op_;
  std::vector<int> product_, sum_, total_;
};

// Empty where nothing is reduced.
std::string partial_text(const Plan& plan, OperatorId id, std::size_t item) {
  const auto& partials = plan.operators[id].partials;
  if (partials.empty() || partials[item].shares.empty()) return "";
  const PartialText text(plan, id, item);
  return partials[item].shares.size() == 1 ? text.whole_tiles(item) : text.shares(item);
}

std::string range_text(const Range& range) { return fmt::format("({},{})", range.begin, range.end - 1); }

std::string label_box_text(const BoxRange& box) {
  std::vector<std::string> ranges;
  for (const Range& range : box) ranges.push_back(range_text(range));
  return fmt::format("[{}]", fmt::join(ranges, ","));
}

// With its dimensions in the order in which they lie in memory.
DynamicLabel as_nested(const DynamicLabel& label, const std::vector<int>& nesting) {
  DynamicLabel nested = label;
  for (std::size_t at = 0; at < nesting.size(); ++at) {
    const int d = nesting[at];
    nested.order[at] = label.order[d];
    nested.granule[at] = label.granule[d];
    nested.padding[at] = label.padding[d];
  }
  return nested;
}

std::string gap_text(const Plan& plan, TensorId id, const PlacedPiece& piece) {
  if (piece.gap == 0) return "";
  const std::int64_t pitch = row_of(plan.tensors[id], plan.graph.tensor(id).shape, piece) + piece.gap;
  return fmt::format(" (rows {} bytes apart)", pitch * bytes_of(plan.tensors[id].type));
}

std::string tensor_text(const Plan& plan, TensorId id) {
  const Tensor& tensor = plan.graph.tensor(id);
  std::string text = fmt::format("{}\n  {}\n", printable(tensor.name), to_text(plan.labels[id].fixed));
  if (plan.tensors[id].alias_of >= 0)
    return text + fmt::format("  shares the memory of {}{}\n",
                              printable(plan.graph.tensor(plan.tensors[id].alias_of).name),
                              plan.tensors[id].permuted.empty() ? "" : ", in its order");
  if (!plan.tensors[id].parts.empty()) {
    std::vector<std::string> parts;
    for (const TensorId part : plan.tensors[id].parts) parts.push_back(printable(plan.graph.tensor(part).name));
    return text + fmt::format("  lies in {}\n", fmt::join(parts, ", "));
  }
  text += fmt::format("  {}\n", to_text(as_nested(plan.labels[id].dynamic, plan.tensors[id].nesting)));
  std::string places;
  for (const PlacedPiece& piece : plan.tensors[id].pieces)
    places += fmt::format(" {}->{}{}", range_text(piece.range), place_of(piece), gap_text(plan, id, piece));
  return text + fmt::format("  pieces along {}:{}\n",
                            plan.labels[id].dynamic.order.empty()
                                ? '-'
                                : plan.labels[id].dynamic.order[plan.tensors[id].split_dimension],
                            places);
}

std::string task_text(const Plan& plan, OperatorId id, std::size_t item) {
  const WorkItem& work = plan.operators[id].split.items[item];
  std::string text = fmt::format("    {} ({}): output {}", printable(plan.graph.op(id).name),
                                 name_of(plan.graph.op(id).kind), label_box_text(work.output));
  if (work.k.size() > 0) text += fmt::format(", partial: sum over {}", range_text(work.k));
  return text + "\n" + partial_text(plan, id, item);
}

std::string core_text(const Plan& plan, int core) {
  std::string tasks;
  for (const OperatorId id : plan.order)
    for (std::size_t item = 0; item < plan.operators[id].split.items.size(); ++item)
      if (plan.operators[id].split.items[item].core == core) tasks += task_text(plan, id, item);
  return fmt::format("  core {} (cluster {})\n{}", core + 1, plan.hardware.cluster_of(core) + 1,
                     tasks.empty() ? "    nothing\n" : tasks);
}

std::string entries_text(const char* segment, const std::vector<PacketEntry>& entries) {
  std::string text;
  for (const PacketEntry& entry : entries)
    text += fmt::format("    {:<9} {:>10} + {:<10} {}\n", segment, entry.offset, entry.bytes, printable(entry.name));
  return text;
}

// Instructions come first; they are named by the core counted from 0.
std::vector<PacketEntry> constants_of(const ConstantPacket& packet) {
  std::vector<PacketEntry> entries = packet.constants;
  if (!entries.empty()) entries.front().name = "instructions";
  return entries;
}

std::string packet_text(const ConstantPacket& packet) {
  return fmt::format("  core {} at {:#x}: {} bytes constant, {} bytes hidden, {} addresses\n", packet.core + 1,
                     packet.address, packet.constant_bytes, packet.hidden_bytes, packet.addresses.size()) +
         entries_text("constant", constants_of(packet)) + entries_text("address", packet.addresses) +
         entries_text("hidden", packet.hidden);
}

}  // namespace

std::string labels_text(const Plan& plan) {
  std::string text =
      fmt::format("{} on {}: {} clusters of {} cores, {} memories, {}, {}\n\nTensors\n", printable(plan.graph.name),
                  printable(plan.hardware.name), plan.hardware.clusters, plan.hardware.cores_per_cluster,
                  plan.hardware.dram.regions, plan.hardware.cluster_memory ? "shared cluster memory" : "bus clusters",
                  kParallelNames[static_cast<int>(plan.options.parallel)]);
  for (TensorId id = 0; id < static_cast<TensorId>(plan.labels.size()); ++id) text += tensor_text(plan, id);
  for (const OpKind kind : derived_strategies(plan))
    text += fmt::format("No strategy is about {}: its split is derived from the operator.\n", name_of(kind));
  text += "\nTasks\n";
  for (int core = 0; core < plan.hardware.cores(); ++core) text += core_text(plan, core);
  text += "\nPackets of constants, loaded once: offset + bytes in each segment\n";
  for (const ConstantPacket& packet : plan.packets) text += packet_text(packet);
  return text;
}

}  // namespace tilewright
