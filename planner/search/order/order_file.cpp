#include "planner/search/order/order_file.h"

#include <fmt/format.h>

#include "sim/base/yaml_reader.h"

namespace tilewright {

std::string to_yaml(const OrderFile& order, const std::string& comment) {
  YAML::Emitter out;
  out << YAML::Comment(comment) << YAML::Newline << YAML::BeginMap;
  out << YAML::Key << "graph" << YAML::Value << order.graph;
  out << YAML::Key << "operators" << YAML::Value << YAML::BeginSeq;
  for (const std::string& label : order.operators) out << label;
  out << YAML::EndSeq << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

OrderFile read_order(const std::string& path) {
  const auto document = YamlDocument::from_file(path);
  YamlMap root = document->root();
  OrderFile order{root.text("graph").value_or(""), root.texts("operators").value_or(std::vector<std::string>{})};
  if (!root.has("operators")) root.problem("operators", "is missing");
  if (root.has("operators") && order.operators.empty()) root.problem("operators", "is empty");
  root.reject_unknown_keys();
  document->check();
  return order;
}

}  // namespace tilewright
