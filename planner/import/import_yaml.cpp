// Operator graphs written by hand; docs/workloads.md describes the format.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <utility>

#include "planner/graph/block_names.h"
#include "planner/graph/data_type_choices.h"
#include "planner/import/import.h"
#include "sim/base/error.h"
#include "sim/base/number_text.h"
#include "sim/base/text_list.h"
#include "sim/base/yaml_reader.h"

namespace tilewright {
namespace {

constexpr std::int64_t kMostBlocks = 10000;

struct GraphReader {
  YamlDocument& document;
  const ImportOptions& options;
  Graph graph;
  // Of the block that is read: what stands before its names, and tensors that go by another name there or behind it.
  std::string prefix;
  std::map<std::string, std::string> called;
  bool repeated = false;
  bool has_batch = false;  // as the size of a dimension

  std::string define(const std::string& name) {
    if (!prefix.empty()) called[name] = prefix + name;
    return prefix + name;
  }

  // A fault that makes the rest of the file unreadable, with its line.
  [[noreturn]] void fail(int line, const std::string& what) const {
    document.check();
    throw UserError(fmt::format("{}:{}", document.file(), line), what);
  }
};

Shape read_shape(GraphReader& reader, YamlMap& map) {
  Shape shape;
  const auto fields = map.texts("shape");
  if (!fields && !map.has("shape")) map.problem("shape", "is missing");
  for (const std::string& field : fields.value_or(std::vector<std::string>{})) {
    const bool batch = field == "batch";
    reader.has_batch = reader.has_batch || batch;
    const auto dim = batch ? std::optional(reader.options.batch) : number_of<std::int64_t>(field);
    if (!dim || *dim < 1)
      reader.fail(map.line_of("shape"), fmt::format("shape: got '{}', expected a count or 'batch'", field));
    shape.push_back(*dim);
  }
  return shape;
}

std::optional<std::vector<double>> read_data(const GraphReader& reader, YamlMap& map) {
  const auto fields = map.texts("data");
  if (!fields) return std::nullopt;
  std::vector<double> data;
  for (const std::string& field : *fields) {
    const auto value = number_of<double>(field);
    if (!value) reader.fail(map.line_of("data"), fmt::format("data: got '{}', expected a number", field));
    data.push_back(*value);
  }
  return data;
}

// Runs `step`, giving what it throws the line of `map`.
template <typename Step>
auto at_line(const GraphReader& reader, const YamlMap& map, Step step) {
  try {
    return step();
  } catch (const UserError& error) {
    if (std::string_view(error.what()).starts_with(reader.document.file())) throw;
    reader.fail(map.line(), error.what());
  }
}

void read_tensors(GraphReader& reader, YamlMap& root, const std::string& key, TensorKind kind) {
  for (YamlMap& map : root.maps(key)) {
    Tensor tensor{.name = reader.define(map.require_text("name")), .kind = kind};
    tensor.shape = read_shape(reader, map);
    tensor.type = map.choice("type", data_type_choices()).value_or(reader.options.type);
    tensor.is_index = map.boolean("index").value_or(false);
    if (kind == TensorKind::kConstant) tensor.data = read_data(reader, map);
    if (kind == TensorKind::kInput) tensor.is_cache = map.boolean("cache").value_or(false);
    map.reject_unknown_keys();
    at_line(reader, map, [&] { return reader.graph.add_tensor(std::move(tensor)); });
  }
}

TensorId find(const GraphReader& reader, const YamlMap& map, const std::string& key, const std::string& name) {
  const auto called = reader.called.find(name);
  if (const auto id = reader.graph.find_tensor(called == reader.called.end() ? name : called->second)) return *id;
  reader.fail(map.line_of(key), fmt::format("{}: tensor '{}' is not defined above", key, name));
}

std::int64_t normalised_axis(const GraphReader& reader, const YamlMap& map, std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank)
    reader.fail(map.line(), fmt::format("axis {} of a tensor of rank {}", axis, rank));
  return axis < 0 ? axis + signed_rank : axis;
}

void read_axes(const GraphReader& reader, YamlMap& map, std::size_t rank, Attributes& a) {
  a.axis = normalised_axis(reader, map, map.integer("axis").value_or(0), std::max<std::size_t>(rank, 1));
  a.axes = map.integers("axes").value_or(a.axes);
  for (std::int64_t& axis : a.axes) axis = normalised_axis(reader, map, axis, rank);
}

Attributes read_attributes(const GraphReader& reader, YamlMap& map, std::size_t rank) {
  Attributes a;
  read_axes(reader, map, rank, a);
  const std::pair<const char*, std::vector<std::int64_t>*> lists[] = {
      {"starts", &a.starts}, {"ends", &a.ends},       {"steps", &a.steps}, {"permutation", &a.permutation},
      {"window", &a.window}, {"strides", &a.strides}, {"pads", &a.pads},   {"dilations", &a.dilations}};
  for (const auto& [key, target] : lists) *target = map.integers(key).value_or(*target);
  const std::pair<const char*, bool*> flags[] = {
      {"transpose_a", &a.transpose_a}, {"transpose_b", &a.transpose_b},
      {"keepdims", &a.keepdims},       {"count_include_pad", &a.count_include_pad},
      {"ceil_mode", &a.ceil_mode},     {"zero_extend", &a.zero_extend}};
  for (const auto& [key, target] : flags) *target = map.boolean(key).value_or(*target);
  const std::pair<const char*, double*> numbers[] = {
      {"epsilon", &a.epsilon}, {"alpha", &a.alpha}, {"beta", &a.beta}, {"zero_point", &a.zero_point}};
  for (const auto& [key, target] : numbers) *target = map.number(key).value_or(*target);
  a.groups = map.integer("groups").value_or(a.groups);
  a.bits = map.integer("bits").value_or(a.bits);
  a.group_size = map.integer("group_size").value_or(a.group_size);
  a.clip_low = map.number("low");
  a.clip_high = map.number("high");
  return a;
}

OpKind read_kind(const GraphReader& reader, YamlMap& map) {
  const std::string name = map.require_text("kind");
  if (const auto kind = parse_op_kind(name)) return *kind;
  std::string names;
  for (const OperatorTraits& traits : all_operator_traits()) append_item(names, "|", traits.name);
  reader.fail(map.line_of("kind"), fmt::format("kind: got '{}', expected {}", name, names));
}

void read_operator(GraphReader& reader, YamlMap& map) {
  Operator op{.name = reader.prefix + map.require_text("name"), .kind = read_kind(reader, map)};
  for (const std::string& name : map.texts("inputs").value_or(std::vector<std::string>{}))
    op.inputs.push_back(find(reader, map, "inputs", name));
  if (op.inputs.empty()) reader.fail(map.line(), fmt::format("operator '{}' has no inputs", op.name));
  const Tensor& first = reader.graph.tensor(op.inputs[0]);
  op.attributes = read_attributes(reader, map, first.shape.size());
  Tensor output{.name = reader.define(map.require_text("output")),
                .type = map.choice("type", data_type_choices()).value_or(first.type)};
  output.shape = is_alias(op.kind) ? read_shape(reader, map) : infer_shape(reader.graph, op);
  map.reject_unknown_keys();
  op.output = reader.graph.add_tensor(std::move(output));
  infer_shape(reader.graph, op);
  reader.graph.add_operator(std::move(op));
}

// Of a repeated block: what each reads of the one before it, by the name under which the first reads what is outside.
std::map<std::string, std::string> read_carry(YamlMap& map) {
  std::map<std::string, std::string> carry;
  auto carried = map.map("carry");
  if (!carried) return carry;
  for (const std::string& name : carried->keys()) carry[name] = carried->require_text(name);
  carried->reject_unknown_keys();
  return carry;
}

TensorId find_outside(const GraphReader& reader, const YamlMap& map, const std::string& name) {
  if (const auto id = reader.graph.find_tensor(name)) return *id;
  reader.fail(map.line_of("carry"), fmt::format("carry: tensor '{}' is not defined above", name));
}

// What the next block reads in place of tensors outside.
std::map<std::string, std::string> carried_names(const GraphReader& reader, const YamlMap& map,
                                                 const std::map<std::string, std::string>& carry) {
  std::map<std::string, std::string> names;
  for (const auto& [outside, inside] : carry) {
    const auto made = reader.called.find(inside);
    if (made == reader.called.end())
      reader.fail(map.line_of("carry"), fmt::format("carry: the block has no tensor '{}'", inside));
    const Shape &before = reader.graph.tensor(find(reader, map, "carry", inside)).shape,
                &expected = reader.graph.tensor(find_outside(reader, map, outside)).shape;
    if (before != expected)
      reader.fail(map.line_of("carry"), fmt::format("carry: '{}' has shape {}, '{}' {}", inside, to_string(before),
                                                    outside, to_string(expected)));
    names[outside] = made->second;
  }
  return names;
}

void read_block(GraphReader& reader, YamlMap& map) {
  read_tensors(reader, map, "inputs", TensorKind::kInput);
  read_tensors(reader, map, "constants", TensorKind::kConstant);
  const std::size_t before = reader.graph.operators().size();
  for (YamlMap& op : map.maps("operators")) at_line(reader, op, [&] { read_operator(reader, op); });
  if (reader.graph.operators().size() == before) reader.fail(map.line(), "the repeated block has no operators");
}

// Behind the blocks, their tensors' names are those of the last one.
void read_repeated(GraphReader& reader, YamlMap& map) {
  if (std::exchange(reader.repeated, true)) reader.fail(map.line(), "a second repeated block; a graph repeats one");
  const std::int64_t count = map.require_integer("repeat");
  if (count < 1 || count > kMostBlocks) map.expected("repeat", fmt::format("1 to {}", kMostBlocks));
  const auto carry = read_carry(map);
  reader.graph.repeats = true;
  const std::int64_t blocks = reader.options.blocks == 0 ? count : std::min(count, reader.options.blocks);
  for (std::int64_t block = 1; block <= blocks; ++block) {
    reader.called = block == 1 ? std::map<std::string, std::string>{} : carried_names(reader, map, carry);
    reader.prefix = block_prefix(block);
    read_block(reader, map);
    if (block == 1) map.reject_unknown_keys();
    reader.document.check();
  }
  for (const auto& [outside, inside] : carry) reader.called.erase(outside);
  reader.prefix.clear();
}

void read_step(GraphReader& reader, YamlMap& map) {
  if (map.has("repeat"))
    read_repeated(reader, map);
  else
    read_operator(reader, map);
}

void mark_outputs(GraphReader& reader, YamlMap& root) {
  for (const std::string& name : root.texts("outputs").value_or(std::vector<std::string>{})) {
    Tensor& tensor = reader.graph.tensor(find(reader, root, "outputs", name));
    if (!tensor.producer) reader.fail(root.line_of("outputs"), fmt::format("outputs: no operator computes '{}'", name));
    tensor.kind = TensorKind::kOutput;
  }
}

void mark_unused_as_outputs(Graph& graph) {
  for (TensorId id = 0; id < static_cast<TensorId>(graph.tensors().size()); ++id)
    if (graph.tensor(id).producer && graph.tensor(id).consumers.empty()) graph.tensor(id).kind = TensorKind::kOutput;
}

}  // namespace

Graph import_yaml(const std::string& path, const ImportOptions& options) {
  const auto document = YamlDocument::from_file(path);
  YamlMap root = document->root();
  GraphReader reader{*document, options, {}};
  reader.graph.name = root.text("name").value_or(std::filesystem::path(path).stem().string());
  read_tensors(reader, root, "inputs", TensorKind::kInput);
  read_tensors(reader, root, "constants", TensorKind::kConstant);
  for (YamlMap& map : root.maps("operators")) at_line(reader, map, [&] { read_step(reader, map); });
  if (root.has("outputs")) mark_outputs(reader, root);
  mark_unused_as_outputs(reader.graph);
  root.reject_unknown_keys();
  document->check();
  if (reader.graph.operators().empty()) throw UserError(path, "has no operators");
  check_batch(path, options, reader.has_batch);
  return std::move(reader.graph);
}

std::int64_t repeated_blocks(const std::string& path, const ImportOptions& options) {
  if (is_language_config(path)) return import_language_model(path, options).config.layers;
  const std::string extension = std::filesystem::path(path).extension();
  if (extension != ".yaml" && extension != ".yml") return 0;
  const auto document = YamlDocument::from_file(path);
  YamlMap root = document->root();
  for (YamlMap& map : root.maps("operators"))
    if (map.has("repeat")) return map.integer("repeat").value_or(0);
  return 0;
}

}  // namespace tilewright
