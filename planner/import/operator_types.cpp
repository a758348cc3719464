#include "planner/import/operator_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "planner/graph/data_type_choices.h"
#include "planner/graph/graph_edit.h"
#include "sim/base/error.h"
#include "sim/base/yaml_reader.h"

namespace tilewright {
namespace {

// Each `*` takes as little as the rest allows.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t star = std::string_view::npos, after = 0, p = 0, n = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++, after = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1, n = ++after;
    } else {
      return false;
    }
  }
  return pattern.substr(p).find_first_not_of('*') == std::string_view::npos;
}

OperatorTypes::Row read_row(YamlMap& map, const std::string& path) {
  OperatorTypes::Row row{{}, {}, fmt::format("{}:{}", path, map.line())};
  const auto operators = map.text_or_texts("operators");
  if (!operators || operators->empty()) map.problem("operators", "at least one is needed");
  row.operators = operators.value_or(std::vector<std::string>{});
  const auto type = parse_data_type(map.require_text("type"));
  if (type && *type != DataType::kInt8 && *type != DataType::kInt32)
    row.type = *type;
  else if (map.has("type"))
    map.expected("type", "fp32|fp16|bf16|fp8_e4m3|fp8_e5m2");
  map.reject_unknown_keys();
  return row;
}

class Typing {
 public:
  Typing(const Graph& graph, const OperatorTypes& types, DataType network)
      : graph_(graph), types_(types), network_(network), edit_(graph) {}

  Graph run() {
    type_.resize(graph_.operators().size());
    for (const OperatorId id : graph_.topological_order()) type_[id] = choose_type(id);
    for (OperatorId id = 0; id < std::ssize(graph_.operators()); ++id) store_result(id);
    for (TensorId id = 0; id < std::ssize(graph_.tensors()); ++id)
      if (is_free(id) && !graph_.tensor(id).producer) store_source(id);
    for (OperatorId id = 0; id < std::ssize(graph_.operators()); ++id) convert_inputs(id);
    return edit_.build();
  }

 private:
  // Floats whose type is the network's.
  bool is_free(TensorId id) const { return !graph_.tensor(id).is_index && !graph_.tensor(id).fixed_type; }

  // Of what only moves elements: that of its first input, of given ones that of the first who computes with them.
  DataType choose_type(OperatorId id) const {
    const Operator& op = graph_.op(id);
    if (const auto* row = types_.row_of(op)) return row->type;
    if (!moves_only(op.kind)) return network_;
    const auto& producer = graph_.tensor(op.inputs[0]).producer;
    return producer ? type_[*producer] : type_of_reader(op.output);
  }

  DataType type_of_reader(TensorId id) const {
    for (;;) {
      const auto& readers = graph_.tensor(id).consumers;
      if (readers.empty()) return network_;
      const Operator& reader = graph_.op(readers.front());
      if (const auto* row = types_.row_of(reader)) return row->type;
      if (!moves_only(reader.kind)) return network_;
      id = reader.output;
    }
  }

  void store_result(OperatorId id) {
    const TensorId output = graph_.op(id).output;
    if (is_free(output) && type_[id] != network_) edit_.tensor(output).fixed_type = type_[id];
  }

  void store_source(TensorId id) {
    const auto& readers = graph_.tensor(id).consumers;
    if (readers.empty()) return;
    const DataType type = type_[readers.front()];
    const bool all = std::all_of(readers.begin(), readers.end(), [&](OperatorId op) { return type_[op] == type; });
    if (all && type != network_) edit_.tensor(id).fixed_type = type;
  }

  void convert_inputs(OperatorId id) {
    const DataType type = type_[id];
    const std::vector<TensorId> inputs = graph_.op(id).inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (is_free(inputs[i]) && edit_.tensor(inputs[i]).fixed_type.value_or(network_) != type)
        edit_.operators()[id].inputs[i] = converted(inputs[i], type);
  }

  TensorId converted(TensorId id, DataType type) {
    const auto known = casts_.find({id, type});
    if (known != casts_.end()) return known->second;
    const std::string name = fmt::format("{}.to_{}", graph_.tensor(id).name, name_of(type));
    const TensorId output = edit_.add_tensor(name, graph_.tensor(id).shape, TensorKind::kHidden);
    edit_.tensor(output).fixed_type = type;
    edit_.add_operator({.name = name, .kind = OpKind::kCast, .inputs = {id}, .output = output});
    return casts_[{id, type}] = output;
  }

  const Graph& graph_;
  const OperatorTypes& types_;
  const DataType network_;
  GraphEdit edit_;
  std::vector<DataType> type_;  // by operator
  std::map<std::pair<TensorId, DataType>, TensorId> casts_;
};

void check_rows(const Graph& graph, const OperatorTypes& types) {
  for (const OperatorTypes::Row& row : types.rows)
    for (const std::string& pattern : row.operators)
      if (std::none_of(graph.operators().begin(), graph.operators().end(),
                       [&](const Operator& op) { return matches(pattern, op.name); }))
        throw UserError(row.where, fmt::format("operators: the network has none called '{}'", pattern));
}

void check_floats(const Graph& graph, const OperatorTypes& types) {
  for (const Operator& op : graph.operators()) {
    const auto* row = types.row_of(op);
    const Tensor& output = graph.tensor(op.output);
    if (row != nullptr && (output.fixed_type || output.is_index))
      throw UserError(row->where,
                      fmt::format("{}: its result '{}' is no float of the network's type", place_of(op), output.name));
  }
}

}  // namespace

const OperatorTypes::Row* OperatorTypes::row_of(const Operator& op) const {
  for (const Row& row : rows)
    for (const std::string& pattern : row.operators)
      if (matches(pattern, op.name)) return &row;
  return nullptr;
}

OperatorTypes read_operator_types(const std::string& path) {
  const auto document = YamlDocument::from_file(path);
  YamlMap root = document->root();
  OperatorTypes types;
  if (!root.has("types")) root.expected("types", "a list of types, each with operators");
  for (YamlMap& row : root.maps("types")) types.rows.push_back(read_row(row, path));
  root.reject_unknown_keys();
  document->check();
  return types;
}

Graph with_operator_types(const Graph& graph, const OperatorTypes& types, DataType network) {
  check_rows(graph, types);
  check_floats(graph, types);
  if (network == DataType::kInt8 && !types.rows.empty())
    throw UserError(types.rows.front().where, "types of single operators need a network of floats, not of int8");
  return Typing(graph, types, network).run();
}

}  // namespace tilewright
