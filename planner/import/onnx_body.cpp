#include "planner/import/onnx_body.h"

#include <map>

namespace tilewright {
namespace {

using Renaming = std::map<std::string, std::string>;

std::set<std::string> defined_names(const onnx::GraphProto& body) {
  std::set<std::string> names;
  for (const auto& input : body.input()) names.insert(input.name());
  for (const auto& initializer : body.initializer()) names.insert(initializer.name());
  for (const auto& node : body.node()) names.insert(node.output().begin(), node.output().end());
  names.erase("");
  return names;
}

void rename(std::string* name, const Renaming& renaming) {
  if (const auto found = renaming.find(*name); found != renaming.end()) *name = found->second;
}

void rename_nodes(onnx::GraphProto& body, const Renaming& renaming, const std::string& prefix) {
  for (auto& node : *body.mutable_node()) {
    if (!node.name().empty()) node.set_name(prefix + node.name());
    for (auto& name : *node.mutable_input()) rename(&name, renaming);
    for (auto& name : *node.mutable_output()) rename(&name, renaming);
    for (auto& attribute : *node.mutable_attribute())
      if (attribute.has_g()) rename_nodes(*attribute.mutable_g(), renaming, prefix);
  }
  for (auto& output : *body.mutable_output()) rename(output.mutable_name(), renaming);
}

}  // namespace

std::vector<const onnx::GraphProto*> bodies_of(const onnx::NodeProto& node) {
  std::vector<const onnx::GraphProto*> bodies;
  for (const auto& attribute : node.attribute())
    if (attribute.has_g()) bodies.push_back(&attribute.g());
  return bodies;
}

std::set<std::string> names_read(const onnx::NodeProto& node) {
  std::set<std::string> names(node.input().begin(), node.input().end());
  for (const onnx::GraphProto* body : bodies_of(node)) {
    const std::set<std::string> own = defined_names(*body);
    const auto take = [&](const std::string& name) {
      if (!own.contains(name)) names.insert(name);
    };
    for (const auto& inner : body->node())
      for (const std::string& name : names_read(inner)) take(name);
    for (const auto& output : body->output()) take(output.name());
  }
  names.erase("");
  return names;
}

onnx::GraphProto renamed_body(const onnx::GraphProto& body, const std::string& prefix) {
  onnx::GraphProto copy = body;
  Renaming renaming;
  for (const std::string& name : defined_names(body)) renaming[name] = prefix + name;
  rename_nodes(copy, renaming, prefix);
  for (auto& input : *copy.mutable_input()) rename(input.mutable_name(), renaming);
  for (auto& initializer : *copy.mutable_initializer()) rename(initializer.mutable_name(), renaming);
  return copy;
}

}  // namespace tilewright
