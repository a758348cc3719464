// A schedule as a graph for graphviz.
#include <fmt/format.h>

#include <algorithm>

#include "planner/report/run/schedule_text.h"

namespace tilewright {
namespace {

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

std::string part_title(const PartSchedule& part) {
  if (part.same_as >= 0) return fmt::format("as part {}", part.same_as + 1);
  const std::string orders = part.orders ? part.orders->str() + " orders" : "orders not counted";
  return fmt::format("{}, {} timed", orders, part.timed.size());
}

}  // namespace

std::string to_dot(const SchedulePart& whole, const Schedule& schedule) {
  std::string text =
      fmt::format("digraph \"{}\" {{\n  node [shape=box fontname=Helvetica];\n", dot_quoted(whole.tiled.graph.name));
  for (std::size_t i = 0; i < schedule.parts.size(); ++i) {
    const PartSchedule& part = schedule.parts[i];
    text += fmt::format("  subgraph cluster_{} {{\n    label=\"part {}: {}\";\n", i, i + 1, part_title(part));
    for (const int node : part.nodes) text += node_line(whole, schedule, node);
    text += "  }\n";
  }
  for (int node = 0; node < whole.dag.size(); ++node)
    for (const int next : whole.dag.next[node]) text += fmt::format("  n{} -> n{};\n", node, next);
  return text + "}\n";
}

}  // namespace tilewright
