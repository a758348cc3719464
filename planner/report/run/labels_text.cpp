#include <fmt/format.h>

#include <string>
#include <vector>

#include "planner/ir/plan.h"
#include "planner/passes/label/label_tensors.h"
#include "planner/report/run/plan_text.h"
#include "sim/base/printable.h"

namespace tilewright {
namespace {

// Partial results of a reduction by name: O1, O2 ... are the parts' products, the sums in the clusters follow, the last
// one is the result.
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

std::string place_of(const PlacedPiece& piece) {
  return piece.in_dram() ? fmt::format("mem{}", piece.region + 1) : fmt::format("cluster{}", piece.cluster + 1);
}

std::string result_place(const Plan& plan, TensorId output) {
  std::string text;
  for (const PlacedPiece& piece : plan.tensors[output].pieces) text += " " + place_of(piece);
  return text;
}

std::string line(const std::string& text) { return "      " + text + "\n"; }

// What the core of a part makes of partial results and where it leaves them, a line each; empty where nothing is
// reduced.
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

std::string range_text(const Range& range) { return fmt::format("({},{})", range.begin, range.end - 1); }

std::string label_box_text(const BoxRange& box) {
  std::vector<std::string> ranges;
  for (const Range& range : box) ranges.push_back(range_text(range));
  return fmt::format("[{}]", fmt::join(ranges, ","));
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
  text += fmt::format("  {}\n", to_text(plan.labels[id].dynamic));
  std::string places;
  for (const PlacedPiece& piece : plan.tensors[id].pieces)
    places += fmt::format(" {}->{}", range_text(piece.range), place_of(piece));
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
