#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "planner/graph/graph_edit.h"
#include "planner/import/import.h"
#include "planner/import/import_values.h"
#include "planner/import/onnx_convert.h"
#include "planner/import/onnx_external.h"
#include "planner/import/onnx_int8_network.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

onnx::ModelProto read_model(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UserError(path, "cannot be opened");
  const google::protobuf::LogSilencer no_second_message;
  onnx::ModelProto model;
  if (!model.ParseFromIstream(&file)) throw UserError(path, "is not a complete ONNX model (damaged or truncated)");
  if (!model.has_graph() || model.graph().node_size() == 0) throw UserError(path, "the model has no nodes");
  if (model.graph().output_size() == 0) throw UserError(path, "the model has no outputs");
  if (model.graph().sparse_initializer_size() > 0) throw UserError(path, "sparse initializers are not supported");
  return model;
}

std::int64_t default_opset(const onnx::ModelProto& model) {
  for (const auto& opset : model.opset_import())
    if (opset.domain().empty() || opset.domain() == "ai.onnx") return opset.version();
  throw UserError("", "the model names no version of the default operator set");
}

// A scale or bias of the pointwise operators is a vector; a full tensor there is an activation.
bool is_weight_use(const OnnxConversion& row, const Tensor& tensor, int position) {
  if (position < row.first_weight || position > row.last_weight || tensor.is_index) return false;
  if (row.type == "MatMul" || row.type == "Gather") return tensor.shape.size() == 2;
  const auto kind = parse_op_kind(row.type);
  return !kind || !is_pointwise(*kind) || tensor.shape.size() <= 1;
}

// Inputs that are only read where weights are read: the weights of a model that was stored without them.
void mark_weights(const std::vector<OnnxNode>& nodes, Graph& graph) {
  std::vector<int> uses(graph.tensors().size(), 0), weight_uses(graph.tensors().size(), 0);
  for (const OnnxNode& node : nodes)
    for (int i = 0; i < node.proto.input_size(); ++i)
      if (const auto id = graph.find_tensor(node.proto.input(i))) {
        ++uses[*id];
        const OnnxConversion* row = find_onnx_conversion(node.proto);
        weight_uses[*id] += row && is_weight_use(*row, graph.tensor(*id), i);
      }
  for (std::size_t id = 0; id < uses.size(); ++id)
    if (uses[id] > 0 && uses[id] == weight_uses[id])
      graph.tensor(static_cast<TensorId>(id)).kind = TensorKind::kConstant;
}

bool without_elements(const Tensor& tensor) { return std::count(tensor.shape.begin(), tensor.shape.end(), 0) > 0; }

void add_tensor(OnnxBuilder& builder, Tensor tensor) {
  if (tensor.data && !tensor.is_index)
    for (const double value : *tensor.data)
      if (beyond_float(value))
        throw UserError(fmt::format("tensor '{}'", tensor.name), fmt::format("holds {}, which is no float32", value));
  if (without_elements(tensor))
    builder.empty[tensor.name] = std::move(tensor);
  else
    builder.graph.add_tensor(std::move(tensor));
}

// Models before version 4 of the format list their initializers among the inputs too.
bool is_initialised(const onnx::GraphProto& proto, const std::string& name) {
  const auto& initializers = proto.initializer();
  return std::any_of(initializers.begin(), initializers.end(), [&](const auto& one) { return one.name() == name; });
}

void add_given_tensors(const onnx::GraphProto& proto, const OnnxDimensions& dimensions, OnnxBuilder& builder) {
  for (const onnx::TensorProto& initializer : proto.initializer()) {
    add_tensor(builder, onnx_constant(initializer.name(), initializer, builder.kept_values));
    const auto id = builder.graph.find_tensor(initializer.name());
    if (id && has_four_bits(initializer)) builder.four_bits.insert(*id);
  }
  for (const onnx::ValueInfoProto& info : proto.input())
    if (!is_initialised(proto, info.name())) add_tensor(builder, onnx_input(info, dimensions));
}

std::vector<std::string> input_names(const onnx::GraphProto& proto) {
  std::vector<std::string> names;
  for (const onnx::ValueInfoProto& info : proto.input())
    if (!is_initialised(proto, info.name())) names.push_back(info.name());
  return names;
}

void mark_outputs(const onnx::GraphProto& proto, Graph& graph) {
  for (const onnx::ValueInfoProto& info : proto.output()) {
    const auto id = graph.find_tensor(info.name());
    if (!id || !graph.tensor(*id).producer)
      throw UserError(fmt::format("output '{}'", info.name()), "no node computes it");
    graph.tensor(*id).kind = TensorKind::kOutput;
  }
}

// Elements of a tensor whose values are read.
std::int64_t kept_values(const ImportOptions& options) {
  return options.values ? std::numeric_limits<std::int64_t>::max() : kMaxKeptValues;
}

Graph convert(const onnx::ModelProto& model, const OnnxDimensions& dimensions, const ImportOptions& options) {
  const onnx::GraphProto& proto = model.graph();
  OnnxBuilder builder;
  builder.kept_values = kept_values(options);
  for (const onnx::ValueInfoProto& info : proto.output()) builder.output_names.insert(info.name());
  const std::vector<std::string> outputs(builder.output_names.begin(), builder.output_names.end());
  const std::vector<OnnxNode> nodes = ordered_nodes(proto, outputs, default_opset(model));
  builder.in_int8 = options.type == DataType::kInt8 && !is_quantised(nodes);
  builder.quantises = std::any_of(nodes.begin(), nodes.end(), [](const OnnxNode& node) {
    const std::string& type = node.proto.op_type();
    return type.find("QuantizeLinear") != std::string::npos || type.starts_with("QLinear");
  });
  add_given_tensors(proto, dimensions, builder);
  mark_weights(nodes, builder.graph);
  if (!options.inputs.empty()) read_input_values(options.inputs, input_names(proto), builder.graph);
  convert_nodes(builder, nodes);
  mark_outputs(proto, builder.graph);
  return without_dead_parts(builder.graph);
}

}  // namespace

Graph import_onnx(const std::string& path, const ImportOptions& options) {
  onnx::ModelProto model = read_model(path);
  const OnnxDimensions dimensions(path, model.graph(), options);
  try {
    take_in_external_values(model, path, kept_values(options), options.values);
    Graph graph = convert(model, dimensions, options);
    graph.name = std::filesystem::path(path).stem().string();
    return graph;
  } catch (const UserError& error) {
    throw UserError(path, error.what());
  }
}

}  // namespace tilewright
