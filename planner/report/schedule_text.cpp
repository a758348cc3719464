#include "planner/report/schedule_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

#include "sim/base/error.h"

namespace tilewright {
namespace {

double gain(Cycles from, Cycles to) {
  return from == 0 ? 0 : 100.0 * static_cast<double>(from - to) / static_cast<double>(from);
}

std::string count_text(const PartSchedule& part) { return part.orders ? part.orders->str() : "not counted"; }

std::string part_line(const Schedule& schedule, std::size_t index) {
  const PartSchedule& part = schedule.parts[index];
  if (part.same_as >= 0)
    return fmt::format("  {:<5} {:>5}  as part {}\n", index + 1, part.nodes.size(), part.same_as + 1);
  const OrderTime& imported = part.timed.front().time;
  return fmt::format("  {:<5} {:>5}  {:>14}  {:>7}  {:>11}  {:>11}  {:>11}  {:>6.2f} %{}\n", index + 1,
                     part.nodes.size(), count_text(part), part.timed.size(),
                     imported.ok() ? std::to_string(imported.cycles) : "rejected", part.timed[part.worst].time.cycles,
                     part.best_order().time.cycles, gain(imported.cycles, part.best_order().time.cycles),
                     part.exhausted ? "  optimum" : "");
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

// In whose parts orders took different times at all.
std::size_t parts_with_choice(const Schedule& schedule) {
  std::size_t count = 0;
  for (const PartSchedule& part : schedule.parts) {
    const PartSchedule& searched = part.same_as < 0 ? part : schedule.parts[part.same_as];
    count += searched.timed[searched.worst].time.cycles != searched.best_order().time.cycles;
  }
  return count;
}

}  // namespace

std::string schedule_text(const SchedulePart& whole, const Schedule& schedule, const ScheduleOptions& options) {
  const Plan& plan = whole.tiled;
  std::string text = fmt::format(
      "{} on {}: {} operators, {} key nodes, {} sub-graphs (window {}, min-nodes {}), strategy {}, budget {}, seed "
      "{}\n\n",
      plan.graph.name, plan.hardware.name, whole.dag.size(), schedule.keys.size(), schedule.parts.size(),
      options.window, options.min_nodes, name_of(options.strategy), options.budget, options.seed);
  text += "  part  nodes          orders    timed     imported        worst         best    gain\n";
  for (std::size_t i = 0; i < schedule.parts.size(); ++i) text += part_line(schedule, i);
  auto line = [&](const char* what, const TimedOrder& timed) {
    fmt::format_to(std::back_inserter(text),
                   "{:<16} {} cycles, {:.2f} % faster than imported; peak memory {:.2f} MiB\n", what, timed.time.cycles,
                   gain(schedule.imported.time.cycles, timed.time.cycles),
                   static_cast<double>(timed.time.peak_memory) / (1 << 20));
  };
  text += "\nThe whole network, linked and measured:\n";
  line("as imported", schedule.imported);
  line("worst orders", schedule.worst);
  line("best orders", schedule.best);
  text += fmt::format("chosen           {}\n", &schedule.chosen() == &schedule.best ? "best orders" : "as imported");
  text += rejected_text(schedule);
  text += fmt::format("measurements     {}; in {} sub-graphs the order changes the time\n", schedule.measurements(),
                      parts_with_choice(schedule));
  text += fmt::format("predictions      instruction stream: {}; order: {}\n", rank_text(schedule.stream_rank),
                      rank_text(schedule.order_rank));
  return text;
}

std::string schedule_csv(const SchedulePart& whole, const Schedule& schedule) {
  std::string text = "part,order,cycles,stream_estimate,order_estimate,peak_memory,nodes\n";
  auto add = [&](const std::string& part, std::size_t number, const TimedOrder& timed) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{:.0f},{:.0f},{},{}\n", part, number, timed.time.cycles,
                   timed.time.stream_estimate, timed.time.order_estimate, timed.time.peak_memory,
                   fmt::join(timed.order, " "));
  };
  for (std::size_t i = 0; i < schedule.parts.size(); ++i)
    for (std::size_t j = 0; j < schedule.parts[i].timed.size(); ++j)
      add(std::to_string(i + 1), j, schedule.parts[i].timed[j]);
  add("whole imported", 0, schedule.imported);
  add("whole worst", 0, schedule.worst);
  add("whole best", 0, schedule.best);
  SIM_CHECK(whole.dag.size() == static_cast<int>(schedule.imported.order.size()), "an order lacks nodes");
  return text;
}

}  // namespace tilewright
