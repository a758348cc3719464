#include "planner/passes/group/group_file.h"

#include <fmt/format.h>

#include "sim/base/yaml_reader.h"

namespace tilewright {
namespace {

bool is_list_of_names(const YAML::Node& node) {
  if (!node.IsSequence() || node.size() == 0) return false;
  for (const YAML::Node& name : node)
    if (!name.IsScalar()) return false;
  return true;
}

GroupChoice::Group read_group(const YAML::Node& node, const std::string& path) {
  GroupChoice::Group group{{}, fmt::format("{}:{}", path, node.Mark().line + 1)};
  for (const YAML::Node& name : node) group.operators.push_back(name.Scalar());
  return group;
}

std::vector<GroupChoice::Group> read_lists(YamlMap& root, const char* key, const std::string& path) {
  std::vector<GroupChoice::Group> lists;
  const auto node = root.node(key);
  if (!node) return lists;
  if (!node->IsSequence()) root.expected(key, "a list of lists of operators' names");
  for (std::size_t i = 0; node->IsSequence() && i < node->size(); ++i) {
    if (is_list_of_names((*node)[i]))
      lists.push_back(read_group((*node)[i], path));
    else
      root.problem(key, fmt::format("entry {} is no list of operators' names", i + 1));
  }
  return lists;
}

void emit_names(YAML::Emitter& out, const std::vector<std::string>& names) {
  out << YAML::Flow << YAML::BeginSeq;
  for (const std::string& name : names) out << name;
  out << YAML::EndSeq;
}

void emit_lists(YAML::Emitter& out, const char* key, const std::vector<GroupChoice::Group>& lists) {
  out << YAML::Key << key << YAML::Value << YAML::BeginSeq;
  for (const GroupChoice::Group& list : lists) emit_names(out, list.operators);
  out << YAML::EndSeq;
}

}  // namespace

GroupChoice read_groups(const std::string& path) {
  const auto document = YamlDocument::from_file(path);
  YamlMap root = document->root();
  GroupChoice choice{.apart = root.texts("apart").value_or(std::vector<std::string>{}), .source = path};
  choice.groups = read_lists(root, "groups", path);
  choice.merged = read_lists(root, "merged", path);
  root.reject_unknown_keys();
  document->check();
  return choice;
}

std::string to_yaml(const GroupChoice& choice) {
  YAML::Emitter out;
  out << YAML::BeginMap;
  emit_lists(out, "groups", choice.groups);
  if (!choice.merged.empty()) emit_lists(out, "merged", choice.merged);
  out << YAML::Key << "apart" << YAML::Value;
  emit_names(out, choice.apart);
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace tilewright
