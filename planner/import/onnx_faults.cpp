#include "planner/import/onnx_faults.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"
#include "sim/base/text_list.h"

namespace tilewright {
namespace {

constexpr std::size_t kListedNames = 8;

std::string names_of(const std::vector<std::string>& nodes) {
  std::string list;
  for (std::size_t i = 0; i < std::min(nodes.size(), kListedNames); ++i)
    append_item(list, ", ", fmt::format("'{}'", nodes[i]));
  return nodes.size() > kListedNames ? fmt::format("{}, and {} more", list, nodes.size() - kListedNames) : list;
}

// The message without the node that it begins with.
std::string without_place(const OnnxNode& node, const std::string& message) {
  const std::string place = fmt::format("node '{}' ({}): ", node.name, node.proto.op_type());
  return message.starts_with(place) ? message.substr(place.size()) : message;
}

std::string type_of(const OnnxNode& node) {
  const auto& proto = node.proto;
  return proto.domain().empty() ? proto.op_type() : proto.domain() + "." + proto.op_type();
}

}  // namespace

void OnnxFaults::add(const OnnxNode& node, const std::string& message) {
  if (count_++ == 0) first_ = message;
  nodes_[{type_of(node), without_place(node, message)}].push_back(node.name);
  mark_outputs(node);
}

bool OnnxFaults::follows(const OnnxNode& node) {
  const auto& inputs = node.proto.input();
  const bool faulty =
      std::any_of(inputs.begin(), inputs.end(), [&](const std::string& name) { return outputs_.contains(name); });
  if (faulty) mark_outputs(node);
  return faulty;
}

void OnnxFaults::mark_outputs(const OnnxNode& node) {
  for (const std::string& output : node.proto.output())
    if (!output.empty()) outputs_.insert(output);
}

void OnnxFaults::check() const {
  if (count_ == 0) return;
  if (count_ == 1) throw UserError("", first_);
  std::string text = fmt::format("{} nodes cannot be imported:", count_);
  for (const auto& [key, names] : nodes_)
    text += fmt::format("\n  {} ({} x: {}): {}", key.type, names.size(), names_of(names), key.message);
  throw UserError("", text);
}

}  // namespace tilewright
