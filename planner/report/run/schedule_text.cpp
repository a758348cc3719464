#include "planner/report/run/schedule_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "planner/report/run/text.h"
#include "sim/base/csv.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

double gain(Cycles from, Cycles to) {
  return from == 0 ? 0 : 100.0 * static_cast<double>(from - to) / static_cast<double>(from);
}

std::string orders_text(const PartSchedule& part) { return part.orders ? part.orders->str() : "not counted"; }

std::string part_line(const Schedule& schedule, std::size_t index) {
  const PartSchedule& part = schedule.parts[index];
  if (part.same_as >= 0)
    return fmt::format("  {:<5} {:>5}  as part {}\n", index + 1, part.nodes.size(), part.same_as + 1);
  const OrderTime& imported = part.timed.front().time;
  return fmt::format("  {:<5} {:>5}  {:>14}  {:>7}  {:>11}  {:>11}  {:>11}  {:>6.2f} %{}\n", index + 1,
                     part.nodes.size(), orders_text(part), part.timed.size(),
                     imported.ok() ? count_text(imported.cycles) : "rejected",
                     count_text(part.timed[part.worst].time.cycles), count_text(part.best_order().time.cycles),
                     gain(imported.cycles, part.best_order().time.cycles), part.exhausted ? "  optimum" : "");
}

std::string rank_text(const std::optional<RankCorrelation>& rank) {
  return rank ? fmt::format("Spearman {:.2f}, Kendall {:.2f}", rank->spearman, rank->kendall)
              : std::string("no two orders differ");
}

std::string rejected_text(const Schedule& schedule) {
  std::size_t count = 0;
  std::string reason;
  for (const PartSchedule& part : schedule.parts)
    for (const TimedOrder& timed : part.timed) {
      if (timed.time.ok()) continue;
      if (count++ == 0) reason = timed.time.rejected;
    }
  return count == 0 ? "" : fmt::format("rejected         {} orders, the first: {}\n", count, reason);
}

double mib(Bytes bytes) { return static_cast<double>(bytes) / (1 << 20); }

std::string beside_imported(Cycles imported, Cycles cycles) {
  if (cycles == imported) return "as imported";
  const double faster = gain(imported, cycles);
  return fmt::format("{:.2f} % {} than imported", std::abs(faster), faster > 0 ? "faster" : "slower");
}

std::string whole_line(const char* what, const Schedule& schedule, const TimedOrder& timed) {
  const TimedOrder& imported = schedule.imported;
  if (!timed.time.ok()) return fmt::format("{:<16} rejected: {}\n", what, timed.time.rejected);
  const bool compared = &timed != &imported && imported.time.ok();
  const std::string beside = compared ? ", " + beside_imported(imported.time.cycles, timed.time.cycles) : "";
  return fmt::format("{:<16} {} cycles{}{}; tensors need {:.2f} MiB at once and lie in {:.2f} MiB\n", what,
                     count_text(timed.time.cycles), schedule.predicted ? " predicted" : "", beside,
                     mib(timed.time.peak_memory), mib(timed.time.memory_taken));
}

// What was done with the orders.
std::string_view tried(const Schedule& schedule) { return schedule.predicted ? "predicted" : "measured"; }

// What the orders that need less memory take; nothing where the chosen one needs the least.
std::string memory_lines(const Schedule& schedule) {
  const auto best = schedule.best_by_memory();
  std::string text;
  if (schedule.least_memory)
    text += fmt::format("least memory     {:.2f} MiB at once{}\n", mib(schedule.least_memory->peak),
                        schedule.least_memory->exact ? ", and no order needs less" : "");
  if (best.size() < 2) return text;
  text += fmt::format("time and memory  of the orders {} none is faster and needs less than these:\n", tried(schedule));
  for (const TimedOrder& run : best)
    text += fmt::format("                 {:>13} cycles  {:>9.2f} MiB\n", count_text(run.time.cycles),
                        mib(run.time.peak_memory));
  return text;
}

// In whose parts orders took different times at all.
std::size_t parts_with_choice(const Schedule& schedule) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < schedule.parts.size(); ++i) {
    const PartSchedule& searched = schedule.searched(i);
    count += searched.timed[searched.worst].time.cycles != searched.best_order().time.cycles;
  }
  return count;
}

std::string dot_quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string node_line(const SchedulePart& whole, const Schedule& schedule, int node) {
  const auto& order = schedule.linked.order;
  const auto place = std::find(order.begin(), order.end(), node) - order.begin() + 1;
  const Operator& op = whole.tiled.graph.op(whole.dag.ops[node]);
  const bool key = std::count(schedule.keys.begin(), schedule.keys.end(), node) > 0;
  return fmt::format("    n{} [label=\"{}. {}\\n{}\"{}];\n", node, place, dot_quoted(op.name), name_of(op.kind),
                     key ? " style=filled fillcolor=gold" : "");
}

std::string part_title(const Schedule& schedule, const PartSchedule& part) {
  if (part.same_as >= 0) return fmt::format("as part {}", part.same_as + 1);
  const std::string orders = part.orders ? part.orders->str() + " orders" : "orders not counted";
  return fmt::format("{}, {} {}", orders, part.timed.size(), schedule.predicted ? "predicted" : "timed");
}

std::string whole_lines(const Schedule& schedule) {
  std::string text = schedule.predicted
                         ? "\nThe whole network, linked, as the queue model predicts it; nothing was measured:\n"
                         : "\nThe whole network, linked and measured:\n";
  text += whole_line("as imported", schedule, schedule.imported);
  if (schedule.shares_runs()) {
    text += whole_line("slowest", schedule, schedule.worst);
  } else {
    text += whole_line("worst orders", schedule, schedule.worst);
    text += whole_line("best orders", schedule, schedule.best);
  }
  return text + whole_line("chosen", schedule, schedule.linked);
}

std::string measurement_lines(const Schedule& schedule) {
  std::string text =
      fmt::format("measurements     {}, {} of them of the whole network; in {} sub-graphs the order changes the time\n",
                  schedule.measurements(), schedule.linked_orders(), parts_with_choice(schedule));
  text += fmt::format("predictions      {} orders; queue model: {}\n", schedule.predictions(),
                      rank_text(schedule.queue_model_rank));
  text += fmt::format("                 instruction stream: {}; order: {}\n", rank_text(schedule.stream_rank),
                      rank_text(schedule.order_rank));
  return text;
}

std::string prediction_lines(const Schedule& schedule) {
  std::string text = fmt::format(
      "queue model      {} orders, {} of them of the whole network; in {} sub-graphs the order changes the "
      "prediction\n",
      schedule.measurements(), schedule.linked_orders(), parts_with_choice(schedule));
  text += fmt::format(
      "T1 and T2        {} orders; beside the queue model's predictions, instruction stream: {}; order: {}\n",
      schedule.predictions(), rank_text(schedule.stream_rank), rank_text(schedule.order_rank));
  return text;
}

}  // namespace

std::string schedule_text(const SchedulePart& whole, const Schedule& schedule, const ScheduleOptions& options) {
  const Plan& plan = whole.tiled;
  std::string text = fmt::format(
      "{} on {}: {} operators, {} key nodes, {} sub-graphs (window {}, min-nodes {}), strategy {}, budget {}, seed "
      "{}\n\n",
      plan.graph.name, plan.hardware.name, whole.dag.size(), schedule.keys.size(), schedule.parts.size(),
      options.parts.window, options.parts.min_nodes, name_of(options.strategy), options.budget, options.seed);
  text += fmt::format("  part  nodes          orders{:>9}     imported        worst         best    gain\n",
                      schedule.predicted ? "modelled" : "timed");
  for (std::size_t i = 0; i < schedule.parts.size(); ++i) text += part_line(schedule, i);
  text += whole_lines(schedule);
  text += memory_lines(schedule);
  text += rejected_text(schedule);
  text += schedule.predicted ? prediction_lines(schedule) : measurement_lines(schedule);
  return text;
}

namespace {

// 0: not known, which nothing stands for.
template <typename Number>
std::string figure(Number number) {
  return number == 0 ? "" : fmt::format("{:.0f}", static_cast<double>(number));
}

}  // namespace

std::string schedule_csv(const SchedulePart& whole, const Schedule& schedule) {
  std::string text =
      "part,order,cycles,queue_model_estimate,stream_estimate,order_estimate,peak_memory,memory_taken,nodes,rejected\n";
  auto add = [&](const std::string& part, std::size_t number, const TimedOrder& timed) {
    const OrderTime& time = timed.time;
    const std::string figures =
        time.ok() ? fmt::format("{},{},{},{},{},{}", figure(schedule.predicted ? 0 : time.cycles),
                                figure(time.queue_model_estimate), figure(time.stream_estimate),
                                figure(time.order_estimate), figure(time.peak_memory), figure(time.memory_taken))
                  : ",,,,,";
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{}\n", part, number, figures, fmt::join(timed.order, " "),
                   csv_field(time.rejected));
  };
  for (std::size_t i = 0; i < schedule.parts.size(); ++i)
    for (std::size_t j = 0; j < schedule.parts[i].timed.size(); ++j)
      add(std::to_string(i + 1), j, schedule.parts[i].timed[j]);
  add("whole imported", 0, schedule.imported);
  add("whole worst", 0, schedule.worst);
  add("whole best", 0, schedule.best);
  add("whole chosen", 0, schedule.linked);
  SIM_CHECK(whole.dag.size() == static_cast<int>(schedule.imported.order.size()), "an order lacks nodes");
  return text;
}

std::string to_dot(const SchedulePart& whole, const Schedule& schedule) {
  std::string text =
      fmt::format("digraph \"{}\" {{\n  node [shape=box fontname=Helvetica];\n", dot_quoted(whole.tiled.graph.name));
  for (std::size_t i = 0; i < schedule.parts.size(); ++i) {
    const PartSchedule& part = schedule.parts[i];
    text += fmt::format("  subgraph cluster_{} {{\n    label=\"part {}: {}\";\n", i, i + 1, part_title(schedule, part));
    for (const int node : part.nodes) text += node_line(whole, schedule, node);
    text += "  }\n";
  }
  for (int node = 0; node < whole.dag.size(); ++node)
    for (const int next : whole.dag.next[node]) text += fmt::format("  n{} -> n{};\n", node, next);
  return text + "}\n";
}

}  // namespace tilewright
