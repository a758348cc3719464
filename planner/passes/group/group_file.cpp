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

void emit_names(YAML::Emitter& out, const std::vector<std::string>& names) {
  out << YAML::Flow << YAML::BeginSeq;
  for (const std::string& name : names) out << name;
  out << YAML::EndSeq;
}

}  // namespace

GroupChoice read_groups(const std::string& path) {
  const auto document = YamlDocument::from_file(path);
  YamlMap root = document->root();
  GroupChoice choice{root.texts("apart").value_or(std::vector<std::string>{}), {}, path};
  if (const auto groups = root.node("groups")) {
    if (!groups->IsSequence()) root.expected("groups", "a list of lists of operators' names");
    for (std::size_t i = 0; groups->IsSequence() && i < groups->size(); ++i) {
      if (is_list_of_names((*groups)[i]))
        choice.groups.push_back(read_group((*groups)[i], path));
      else
        root.problem("groups", fmt::format("entry {} is no list of operators' names", i + 1));
    }
  }
  root.reject_unknown_keys();
  document->check();
  return choice;
}

std::string to_yaml(const GroupChoice& choice) {
  YAML::Emitter out;
  out << YAML::BeginMap << YAML::Key << "groups" << YAML::Value << YAML::BeginSeq;
  for (const GroupChoice::Group& group : choice.groups) emit_names(out, group.operators);
  out << YAML::EndSeq << YAML::Key << "apart" << YAML::Value;
  emit_names(out, choice.apart);
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace tilewright
