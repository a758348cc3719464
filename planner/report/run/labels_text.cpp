#include "planner/report/run/labels_text.h"

#include <fmt/format.h>

#include <vector>

#include "planner/passes/label/label_tensors.h"
#include "planner/report/run/partial_text.h"

namespace tilewright {
namespace {

std::string range_text(const Range& range) { return fmt::format("({},{})", range.begin, range.end - 1); }

std::string label_box_text(const BoxRange& box) {
  std::vector<std::string> ranges;
  for (const Range& range : box) ranges.push_back(range_text(range));
  return fmt::format("[{}]", fmt::join(ranges, ","));
}

std::string tensor_text(const Plan& plan, TensorId id) {
  const Tensor& tensor = plan.graph.tensor(id);
  std::string text = fmt::format("{}\n  {}\n", tensor.name, to_text(plan.labels[id].fixed));
  if (plan.tensors[id].alias_of >= 0)
    return text + fmt::format("  shares the memory of {}\n", plan.graph.tensor(plan.tensors[id].alias_of).name);
  text += fmt::format("  {}\n", to_text(plan.labels[id].dynamic));
  std::string places;
  for (const PlacedPiece& piece : plan.tensors[id].pieces)
    places += fmt::format(" {}->mem{}", range_text(piece.range), piece.region + 1);
  return text + fmt::format("  pieces along {}:{}\n",
                            plan.labels[id].dynamic.order.empty()
                                ? '-'
                                : plan.labels[id].dynamic.order[plan.tensors[id].split_dimension],
                            places);
}

std::string task_text(const Plan& plan, OperatorId id, std::size_t item) {
  const WorkItem& work = plan.operators[id].split.items[item];
  std::string text = fmt::format("    {} ({}): output {}", plan.graph.op(id).name, name_of(plan.graph.op(id).kind),
                                 label_box_text(work.output));
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
    text += fmt::format("    {:<9} {:>10} + {:<10} {}\n", segment, entry.offset, entry.bytes, entry.name);
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
      fmt::format("{} on {}: {} clusters of {} cores, {} memories, {}, {}\n\nTensors\n", plan.graph.name,
                  plan.hardware.name, plan.hardware.clusters, plan.hardware.cores_per_cluster,
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
