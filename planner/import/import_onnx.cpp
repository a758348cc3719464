#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <queue>
#include <set>

#include "planner/graph/graph_edit.h"
#include "planner/import/import.h"
#include "planner/import/onnx_builder.h"
#include "planner/import/onnx_tensor.h"
#include "sim/base/error.h"
#include "sim/base/text_list.h"

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

// Null when the operator is not supported.
const OnnxConversion* find_onnx_conversion(const onnx::NodeProto& node) {
  if (!node.domain().empty() && node.domain() != "ai.onnx") return nullptr;
  for (const auto table : {onnx_matrix_operators(), onnx_window_operators(), onnx_pointwise_operators(),
                           onnx_normalise_operators(), onnx_move_operators(), onnx_shape_operators()})
    for (const OnnxConversion& row : table)
      if (row.type == node.op_type()) return &row;
  return nullptr;
}

void reject_unsupported(const onnx::GraphProto& graph) {
  std::map<std::string, int> occurrences;
  for (const onnx::NodeProto& node : graph.node())
    if (!find_onnx_conversion(node))
      ++occurrences[node.domain().empty() ? node.op_type() : node.domain() + "." + node.op_type()];
  if (occurrences.empty()) return;
  std::string list;
  for (const auto& [type, count] : occurrences) append_item(list, ", ", fmt::format("{} ({} x)", type, count));
  throw UserError("", "unsupported operators: " + list);
}

std::vector<OnnxNode> nodes_of(const onnx::GraphProto& graph, std::int64_t opset) {
  std::vector<OnnxNode> nodes;
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    nodes.push_back({node, node.name().empty() ? fmt::format("{}_{}", node.op_type(), i) : node.name(), opset});
  }
  return nodes;
}

using Producers = std::map<std::string, std::size_t>;

Producers producers_of(const std::vector<OnnxNode>& nodes) {
  Producers producers;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const std::string& output : nodes[i].proto.output()) {
      if (output.empty()) continue;
      const auto [entry, is_new] = producers.emplace(output, i);
      if (!is_new)
        nodes[i].fail(fmt::format("tensor '{}' is also computed by node '{}'", output, nodes[entry->second].name));
    }
  return producers;
}

// For every node the nodes whose outputs it reads.
std::vector<std::vector<std::size_t>> predecessors_of(const std::vector<OnnxNode>& nodes) {
  const Producers producers = producers_of(nodes);
  std::vector<std::vector<std::size_t>> predecessors(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const std::string& input : nodes[i].proto.input())
      if (const auto producer = producers.find(input); producer != producers.end())
        predecessors[i].push_back(producer->second);
  return predecessors;
}

// Every node that could not be ordered has a predecessor that could not be either: enough steps back end on the cycle.
std::size_t node_on_cycle(const std::vector<std::vector<std::size_t>>& predecessors, const std::vector<int>& open) {
  const auto blocked = [&](std::size_t i) { return open[i] > 0; };
  std::size_t node = std::find_if(open.begin(), open.end(), [](int count) { return count > 0; }) - open.begin();
  for (std::size_t step = 0; step < open.size(); ++step)
    node = *std::find_if(predecessors[node].begin(), predecessors[node].end(), blocked);
  return node;
}

// Positions of the nodes, every one behind what it reads, otherwise as in the file.
std::vector<std::size_t> node_order(const std::vector<OnnxNode>& nodes) {
  const auto predecessors = predecessors_of(nodes);
  std::vector<std::vector<std::size_t>> readers(nodes.size());
  std::vector<int> open(nodes.size(), 0);
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    open[i] = static_cast<int>(predecessors[i].size());
    for (const std::size_t producer : predecessors[i]) readers[producer].push_back(i);
    if (open[i] == 0) ready.push(i);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const std::size_t reader : readers[order.back()])
      if (--open[reader] == 0) ready.push(reader);
  }
  if (order.size() != nodes.size())
    nodes[node_on_cycle(predecessors, open)].fail("depends on its own output (the graph has a cycle)");
  return order;
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
        weight_uses[*id] += is_weight_use(*find_onnx_conversion(node.proto), graph.tensor(*id), i);
      }
  for (std::size_t id = 0; id < uses.size(); ++id)
    if (uses[id] > 0 && uses[id] == weight_uses[id])
      graph.tensor(static_cast<TensorId>(id)).kind = TensorKind::kConstant;
}

void add_given_tensors(const onnx::GraphProto& proto, const ImportOptions& options, Graph& graph) {
  for (const onnx::TensorProto& initializer : proto.initializer())
    graph.add_tensor(onnx_constant(initializer.name(), initializer));
  // Models before version 4 of the format list their initializers among the inputs too.
  std::set<std::string> initialised;
  for (const onnx::TensorProto& initializer : proto.initializer()) initialised.insert(initializer.name());
  const std::string batch_symbol = onnx_batch_symbol(proto);
  for (const onnx::ValueInfoProto& info : proto.input())
    if (!initialised.contains(info.name())) graph.add_tensor(onnx_input(info, options, batch_symbol));
}

void mark_outputs(const onnx::GraphProto& proto, Graph& graph) {
  for (const onnx::ValueInfoProto& info : proto.output()) {
    const auto id = graph.find_tensor(info.name());
    if (!id || !graph.tensor(*id).producer)
      throw UserError(fmt::format("output '{}'", info.name()), "no node computes it");
    graph.tensor(*id).kind = TensorKind::kOutput;
  }
}

Graph convert(const onnx::ModelProto& model, const ImportOptions& options) {
  const onnx::GraphProto& proto = model.graph();
  reject_unsupported(proto);
  const std::vector<OnnxNode> nodes = nodes_of(proto, default_opset(model));
  OnnxBuilder builder;
  for (const onnx::ValueInfoProto& info : proto.output()) builder.output_names.insert(info.name());
  add_given_tensors(proto, options, builder.graph);
  mark_weights(nodes, builder.graph);
  for (const std::size_t i : node_order(nodes)) find_onnx_conversion(nodes[i].proto)->convert(builder, nodes[i]);
  mark_outputs(proto, builder.graph);
  return without_dead_parts(builder.graph);
}

}  // namespace

Graph import_onnx(const std::string& path, const ImportOptions& options) {
  const onnx::ModelProto model = read_model(path);
  try {
    Graph graph = convert(model, options);
    graph.name = std::filesystem::path(path).stem().string();
    return graph;
  } catch (const UserError& error) {
    throw UserError(path, error.what());
  }
}

}  // namespace tilewright
