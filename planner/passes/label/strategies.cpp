#include "planner/passes/label/strategies.h"

#include <fmt/format.h>

#include "planner/ir/contraction.h"
#include "planner/ir/strategy.h"
#include "sim/base/error.h"
#include "sim/base/yaml_reader.h"

namespace tilewright {
namespace {

TensorRole role_of(const Operator& op, std::size_t input) {
  return is_contraction(op.kind) && input >= 1 ? TensorRole::kInputWeight : TensorRole::kInputNeuron;
}

}  // namespace

const StrategyTable& strategies_of(const Plan& plan) {
  return plan.options.strategies ? *plan.options.strategies : default_strategies();
}

const StrategyRow* row_for(const Plan& plan, const Operator& op, std::size_t input, std::size_t dimension) {
  const std::string& order = plan.labels[op.inputs[input]].dynamic.order;
  return strategies_of(plan).find(op.kind, role_of(op, input), order[dimension], plan.options.parallel);
}

const StrategyRow* output_row(const Plan& plan, const Operator& op, char dimension) {
  return strategies_of(plan).find(op.kind, TensorRole::kOutputNeuron, dimension, plan.options.parallel);
}

namespace {

constexpr std::string_view kDimensions = "NCHWDT";

const Choices<TensorRole>& roles() {
  static const Choices<TensorRole> choices{{"input_neuron", TensorRole::kInputNeuron},
                                           {"input_weight", TensorRole::kInputWeight},
                                           {"output_neuron", TensorRole::kOutputNeuron}};
  return choices;
}

const Choices<Swap>& swaps() {
  static const Choices<Swap> choices{
      {"no", Swap::kNo}, {"core", Swap::kCore}, {"cluster", Swap::kCluster}, {"mem", Swap::kMem}};
  return choices;
}

const Choices<Reduction>& reductions() {
  static const Choices<Reduction> choices{{"clusters", Reduction::kClusters},
                                          {"tree", Reduction::kTree},
                                          {"ring", Reduction::kRing},
                                          {"scatter", Reduction::kScatter},
                                          {"network", Reduction::kNetwork}};
  return choices;
}

std::optional<StoreSwap> read_store_swap(YamlMap& row, const std::string& key) {
  auto map = row.map(key);
  if (!map) return std::nullopt;
  StoreSwap result;
  const std::string text = map->text("store").value_or("mem");
  if (const auto store = parse_store(text))
    result.store = *store;
  else
    map->expected("store", "mem|cluster, or one of them with its number from 1 on");
  result.swap = map->choice("swap", swaps());
  result.reduction = map->choice("reduction", reductions());
  map->reject_unknown_keys();
  return result;
}

void read_modes(YamlMap& map, StrategyRow& row) {
  const auto names = map.texts("modes");
  if (!names) return;
  row.modes = {false, false, false, true};
  for (const std::string& name : *names) {
    bool known = false;
    for (std::size_t i = 0; i + 1 < kParallelNames.size(); ++i)
      if (kParallelNames[i] == name) row.modes[i] = known = true;
    if (!known) map.problem("modes", fmt::format("got '{}', expected data|model|hybrid", name));
  }
}

void read_dimensions(YamlMap& map, StrategyRow& row) {
  const std::vector<std::string> names = map.texts("dimensions").value_or(std::vector<std::string>{});
  for (const std::string& name : names) {
    if (name.size() == 1 && kDimensions.find(name[0]) != std::string_view::npos)
      row.dimensions.push_back(name[0]);
    else
      map.problem("dimensions", fmt::format("got '{}', expected N|C|H|W|D|T", name));
  }
  if (names.empty()) map.problem("dimensions", "at least one is needed");
}

// What stands for every operator on single elements.
constexpr std::string_view kPointwise = "pointwise";

std::vector<OpKind> kinds_named(const std::string& name) {
  std::vector<OpKind> kinds;
  for (const OperatorTraits& traits : all_operator_traits())
    if (traits.name == name || (name == kPointwise && is_pointwise(traits.kind))) kinds.push_back(traits.kind);
  return kinds;
}

std::string unknown_operator(const std::string& name) {
  std::set<std::string> known{std::string(kPointwise)};
  for (const OperatorTraits& traits : all_operator_traits()) known.emplace(traits.name);
  const auto near = nearest_name(name, known);
  return fmt::format("unknown operator '{}'{}", name, near ? ", did you mean '" + *near + "'?" : "");
}

std::vector<OpKind> read_operators(YamlMap& map) {
  std::vector<OpKind> kinds;
  const std::vector<std::string> names = map.texts("operators").value_or(std::vector<std::string>{});
  for (const std::string& name : names) {
    const std::vector<OpKind> named = kinds_named(name);
    if (named.empty()) map.problem("operators", unknown_operator(name));
    kinds.insert(kinds.end(), named.begin(), named.end());
  }
  if (names.empty()) map.problem("operators", "at least one is needed");
  return kinds;
}

void read_row(const std::string& file, YamlMap& map, std::vector<StrategyRow>& rows) {
  StrategyRow row;
  row.where = fmt::format("{}:{}", file, map.line());
  const std::vector<OpKind> kinds = read_operators(map);
  if (const auto role = map.choice("tensor", roles()))
    row.tensor = *role;
  else if (!map.has("tensor"))
    map.problem("tensor", "is missing");
  read_dimensions(map, row);
  read_modes(map, row);
  row.pieces = map.integer("pieces");
  if (row.pieces && *row.pieces < 1) map.expected("pieces", "1 or more");
  row.cache = read_store_swap(map, "cache");
  row.bus = read_store_swap(map, "bus");
  const auto reduces = [](const std::optional<StoreSwap>& what) { return what && what->reduction; };
  if (row.tensor != TensorRole::kOutputNeuron && (reduces(row.cache) || reduces(row.bus)))
    map.problem("tensor", "'reduction' is of an output_neuron");
  map.reject_unknown_keys();
  for (const OpKind kind : kinds) {
    rows.push_back(row);
    rows.back().kind = kind;
  }
}

StrategyTable read_document(YamlDocument& document) {
  YamlMap root = document.root();
  std::vector<StrategyRow> rows;
  for (YamlMap& map : root.maps("strategies")) read_row(document.file(), map, rows);
  root.reject_unknown_keys();
  document.check();
  return StrategyTable(std::move(rows));
}

}  // namespace

StrategyTable read_strategies(const std::string& path) { return read_document(*YamlDocument::from_file(path)); }

StrategyTable read_strategies_text(const std::string& text, const std::string& name) {
  return read_document(*YamlDocument::from_text(text, name));
}

const StrategyTable& default_strategies() {
  static const StrategyTable table = read_strategies_text(kDefaultStrategies, "strategies.yaml");
  return table;
}

}  // namespace tilewright
