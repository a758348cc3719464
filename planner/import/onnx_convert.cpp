#include "planner/import/onnx_convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>

#include "planner/import/onnx_body.h"
#include "planner/import/onnx_faults.h"
#include "planner/import/onnx_int8_network.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

using Producers = std::map<std::string, std::size_t>;
using Edges = std::vector<std::vector<std::size_t>>;

std::vector<OnnxNode> nodes_of(const onnx::GraphProto& graph, std::int64_t opset) {
  std::vector<OnnxNode> nodes;
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    nodes.push_back({node, node.name().empty() ? fmt::format("{}_{}", node.op_type(), i) : node.name(), opset});
  }
  return nodes;
}

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
Edges predecessors_of(const std::vector<OnnxNode>& nodes, const Producers& producers) {
  Edges predecessors(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const std::string& input : names_read(nodes[i].proto))
      if (const auto producer = producers.find(input); producer != producers.end())
        predecessors[i].push_back(producer->second);
  return predecessors;
}

// Every node that could not be ordered has a predecessor that could not be either: enough steps back end on the cycle.
std::size_t node_on_cycle(const Edges& predecessors, const std::vector<int>& open) {
  const auto blocked = [&](std::size_t i) { return open[i] > 0; };
  std::size_t node = std::find_if(open.begin(), open.end(), [](int count) { return count > 0; }) - open.begin();
  for (std::size_t step = 0; step < open.size(); ++step)
    node = *std::find_if(predecessors[node].begin(), predecessors[node].end(), blocked);
  return node;
}

// Positions of the nodes, every one behind what it reads, otherwise as in the file.
std::vector<std::size_t> node_order(const std::vector<OnnxNode>& nodes, const Edges& predecessors) {
  Edges readers(nodes.size());
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

std::vector<bool> needed_nodes(const Producers& producers, const Edges& predecessors,
                               const std::vector<std::string>& outputs) {
  std::vector<bool> needed(predecessors.size(), false);
  std::vector<std::size_t> open;
  for (const std::string& output : outputs)
    if (const auto producer = producers.find(output); producer != producers.end()) open.push_back(producer->second);
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (needed[node]) continue;
    needed[node] = true;
    open.insert(open.end(), predecessors[node].begin(), predecessors[node].end());
  }
  return needed;
}

constexpr const char* kUnsupported = "the operator is not supported";

// Where a body cannot be taken apart its operators are looked through all the same.
void add_unsupported_of_bodies(const OnnxNode& node, OnnxFaults& faults) {
  for (const onnx::GraphProto* body : bodies_of(node.proto))
    for (const OnnxNode& inner : nodes_of(*body, node.opset)) {
      if (!find_onnx_conversion(inner.proto)) faults.add(inner, kUnsupported);
      add_unsupported_of_bodies(inner, faults);
    }
}

constexpr std::string_view kMoveLevels[] = {"Concat", "Flatten", "Gather",  "Identity",  "MaxPool",  "Reshape",
                                            "Slice",  "Split",   "Squeeze", "Transpose", "Unsqueeze"};

// What only moves levels of uint8 does so with them as int8, too; of the two, what nothing reads is left out.
void convert_beside(OnnxBuilder& builder, const OnnxNode& node, const OnnxConversion& conversion) {
  const std::string& type = node.proto.op_type();
  if (std::find(std::begin(kMoveLevels), std::end(kMoveLevels), type) == std::end(kMoveLevels)) return;
  onnx::NodeProto proto = node.proto;
  for (int i = 0; i < (type == "Concat" ? proto.input_size() : 1); ++i) {
    const auto id = builder.graph.find_tensor(proto.input(i));
    const auto levels = id ? builder.int8_of.find(*id) : builder.int8_of.end();
    if (levels == builder.int8_of.end()) return;
    proto.set_input(i, builder.graph.tensor(levels->second).name);
  }
  for (std::string& name : *proto.mutable_output())
    if (!name.empty()) name += "/int8";
  conversion.convert(builder, {proto, node.name, node.opset});
  for (int i = 0; i < proto.output_size(); ++i)
    if (!proto.output(i).empty())
      builder.int8_of[*builder.graph.find_tensor(node.proto.output(i))] = *builder.graph.find_tensor(proto.output(i));
}

void convert_node(OnnxBuilder& builder, const OnnxNode& node, OnnxFaults& faults) {
  try {
    const OnnxConversion* conversion = find_onnx_conversion(node.proto);
    if (!conversion) node.fail(kUnsupported);
    if (builder.in_int8)
      convert_to_int8(builder, node, *conversion);
    else
      conversion->convert(builder, node);
    convert_beside(builder, node, *conversion);
  } catch (const UserError& error) {
    faults.add(node, error.what());
    add_unsupported_of_bodies(node, faults);
  }
}

}  // namespace

const OnnxConversion* find_onnx_conversion(const onnx::NodeProto& node) {
  const bool contributed = node.domain() == "com.microsoft" && node.op_type() == "MatMulNBits";
  if (!node.domain().empty() && node.domain() != "ai.onnx" && !contributed) return nullptr;
  for (const OnnxConversion& row : all_onnx_conversions())
    if (row.type == node.op_type()) return &row;
  return nullptr;
}

const std::vector<OnnxConversion>& all_onnx_conversions() {
  static const std::vector<OnnxConversion> kAll = [] {
    std::vector<OnnxConversion> all;
    for (const auto table :
         {onnx_activation_operators(), onnx_compare_operators(),   onnx_control_operators(), onnx_einsum_operators(),
          onnx_index_operators(),      onnx_integer_operators(),   onnx_known_operators(),   onnx_matrix_operators(),
          onnx_move_operators(),       onnx_attention_operators(), onnx_grid_operators(),    onnx_normalise_operators(),
          onnx_packed_operators(),     onnx_pointwise_operators(), onnx_qlinear_operators(), onnx_quantize_operators(),
          onnx_recurrent_operators(),  onnx_reduce_operators(),    onnx_repeat_operators(),  onnx_resize_operators(),
          onnx_shape_operators(),      onnx_sort_operators(),      onnx_window_operators()})
      all.insert(all.end(), table.begin(), table.end());
    return all;
  }();
  return kAll;
}

std::vector<OnnxNode> ordered_nodes(const onnx::GraphProto& graph, const std::vector<std::string>& outputs,
                                    std::int64_t opset) {
  const std::vector<OnnxNode> nodes = nodes_of(graph, opset);
  const Producers producers = producers_of(nodes);
  const Edges predecessors = predecessors_of(nodes, producers);
  const std::vector<bool> needed = needed_nodes(producers, predecessors, outputs);
  std::vector<OnnxNode> ordered;
  for (const std::size_t i : node_order(nodes, predecessors))
    if (needed[i]) ordered.push_back(nodes[i]);
  return ordered;
}

void convert_nodes(OnnxBuilder& builder, const std::vector<OnnxNode>& nodes) {
  OnnxFaults faults;
  for (const OnnxNode& node : nodes)
    if (!faults.follows(node)) convert_node(builder, node, faults);
  faults.check();
}

}  // namespace tilewright
