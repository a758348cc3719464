#include "planner/report/run/plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "planner/report/run/text.h"
#include "sim/base/printable.h"
#include "sim/base/text_list.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

std::string shapes_of(const Graph& graph, const Operator& op) {
  std::string text;
  for (TensorId input : op.inputs) append_item(text, ", ", to_string(graph.tensor(input).shape));
  return text + " -> " + to_string(graph.tensor(op.output).shape);
}

std::string operator_text(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  std::string text = fmt::format("{} {} {}", printable(op.name), name_of(op.kind), shapes_of(plan.graph, op));
  for (const Epilogue& epilogue : op.epilogues) text += fmt::format(" + {}", name_of(epilogue.kind));
  text += "\n";
  return static_cast<std::size_t>(id) < plan.operators.size() ? text + explain_tilings(plan, id) : text;
}

std::string box_text(const BoxRange& box) {
  std::vector<std::string> ranges;
  for (const Range& range : box) ranges.push_back(fmt::format("{}..{}", range.begin, range.end));
  return fmt::format("[{}]", fmt::join(ranges, ", "));
}

// One line per different tiling: the cores that use it.
std::string tiling_lines(const OperatorPlan& plan) {
  std::string text;
  std::vector<bool> told(plan.tilings.size(), false);
  for (std::size_t i = 0; i < plan.tilings.size(); ++i) {
    if (told[i]) continue;
    std::vector<int> cores;
    for (std::size_t j = i; j < plan.tilings.size(); ++j)
      if (plan.tilings[j] == plan.tilings[i]) {
        told[j] = true;
        cores.push_back(plan.split.items.at(j).core);
      }
    std::ranges::sort(cores);
    cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
    text += fmt::format("  core{} {}, e.g. output {}:\n{}", cores.size() == 1 ? "" : "s", number_runs(cores),
                        box_text(plan.split.items.at(i).output), explain(plan.tilings[i]));
  }
  return text;
}

std::string program_text(const Program& program) {
  if (program.cores.empty()) return "";
  std::int64_t instructions = 0;
  Bytes bytes = 0, memory = 0;
  for (const CoreProgram& core : program.cores) {
    instructions += static_cast<std::int64_t>(core.instructions.size());
    bytes += encoded_size(core);
  }
  for (const Segment& segment : program.segments) memory += segment.bytes;
  return fmt::format("\nProgram: {} instructions on {} cores, {}; {} segments of DRAM, {}\n", count_text(instructions),
                     program.cores.size(), bytes_text(bytes), program.segments.size(), bytes_text(memory));
}

}  // namespace

std::string times_text(double times) { return times == 1 ? "once" : fmt::format("{:.4g} times", times); }

std::string explain(const Tiling& t) {
  std::string text = fmt::format(
      "    partitions of m {} x n {} x k {}, the {} loop outside; tiles of m {} x n {}, the {} loop outside\n",
      t.partition_m, t.partition_n, t.partition_k, t.outer_rowmajor ? "m" : "n", t.tile_m, t.tile_n,
      t.inner_rowmajor ? "m" : "n");
  text += fmt::format("    A is read {}, B is read {}; ", times_text(t.load_a), times_text(t.load_b));
  text += t.need_splitk
              ? fmt::format("K is split, the sums wait in {} of the accumulate buffer", bytes_text(t.acc_buffer_needed))
              : "K is not split, the sums stay in the matmul unit";
  if (t.spilled > 0) text += fmt::format(" and {} of the input buffers", bytes_text(t.spilled));
  if (t.abreast > 1) text += fmt::format("; {} output columns abreast, A is loaded for each", t.abreast);
  text += t.rows_apart ? "; cores begin with different rows and memories\n" : "\n";
  if (t.hand_on_a || t.hand_on_b)
    text += fmt::format("    cores that read the same of {} take it from each other, a step of K apart\n",
                        !t.hand_on_b  ? "A"
                        : t.hand_on_a ? "A and of B"
                                      : "B");
  // Only the closed formulas predict one.
  if (t.utilisation > 0)
    text += fmt::format("    predicted utilisation {} (by formula, not measured)\n", percent_text(t.utilisation));
  return t.reason.empty() ? text : text + fmt::format("    because: {}\n", t.reason);
}

std::string explain_tilings(const Plan& plan, OperatorId op) {
  const OperatorPlan& planned = plan.operators.at(op);
  std::string text;
  if (!planned.split.reason.empty()) text += fmt::format("  split: {}\n", planned.split.reason);
  return text + tiling_lines(planned);
}

std::string plan_text(const Plan& plan) {
  std::string text =
      fmt::format("{} on {}, {} core{}, {}\n\n", printable(plan.graph.name), printable(plan.hardware.name),
                  plan.hardware.cores(), plan.hardware.cores() == 1 ? "" : "s", name_of(plan.options.type));
  // The first passes run before there is an order.
  for (OperatorId id : plan.order.empty() ? plan.graph.topological_order() : plan.order)
    text += operator_text(plan, id);
  return text + program_text(plan.program);
}

}  // namespace tilewright
