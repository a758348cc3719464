#include "planner/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <functional>
#include <iterator>
#include <queue>

#include "sim/base/checked.h"
#include "sim/base/error.h"
#include "sim/base/stop.h"

namespace tilewright {
namespace {

// Largest tensor a graph may hold. Far above any real workload; keeps every later product of two counts in 128 bits and
// refuses absurd files before anything is allocated.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;

constexpr std::size_t kMaxRank = 16;

// A model of 100 layers with 256 experts each has 10^5. Planning takes about 7 KB for each.
constexpr std::size_t kMaxOperators = 1 << 18;

void check_shape(const Tensor& tensor) {
  if (tensor.shape.size() > kMaxRank)
    throw UserError(fmt::format("tensor '{}'", tensor.name),
                    fmt::format("has {} dimensions, at most {} are supported", tensor.shape.size(), kMaxRank));
  const auto refuse = [&] {
    throw UserError(fmt::format("tensor '{}'", tensor.name),
                    fmt::format("shape {} has more than 2^40 elements", to_string(tensor.shape)));
  };
  std::int64_t count = 1;
  for (const std::int64_t dim : tensor.shape) {
    if (dim < 1)
      throw UserError(fmt::format("tensor '{}'", tensor.name),
                      fmt::format("dimension {} in shape {} must be at least 1", dim, to_string(tensor.shape)));
    count = checked_product(count, dim, refuse);
    if (count > kMaxElements) refuse();
  }
}

void check_data(const Tensor& tensor) {
  if (!tensor.data || static_cast<std::int64_t>(tensor.data->size()) == element_count(tensor.shape)) return;
  throw UserError(fmt::format("tensor '{}'", tensor.name),
                  fmt::format("has {} values, but its shape {} needs {}", tensor.data->size(), to_string(tensor.shape),
                              element_count(tensor.shape)));
}

void link_consumer(Tensor& tensor, OperatorId id) {
  if (tensor.consumers.empty() || tensor.consumers.back() != id) tensor.consumers.push_back(id);
}

using Edges = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

Edges dependencies(const Graph& graph) {
  Edges edges(graph.operators().size());
  for (const Tensor& tensor : graph.tensors()) {
    if (!tensor.producer) continue;
    for (const OperatorId consumer : tensor.consumers) boost::add_edge(*tensor.producer, consumer, edges);
  }
  return edges;
}

// The lowest operator that reaches itself; one exists when not every operator could be ordered.
OperatorId operator_on_cycle(const Edges& edges) {
  std::vector<int> component(boost::num_vertices(edges));
  const int count = boost::strong_components(edges, component.data());
  std::vector<int> size(count, 0);
  for (const int c : component) ++size[c];
  for (std::size_t v = 0; v < component.size(); ++v)
    if (size[component[v]] > 1 || boost::edge(v, v, edges).second) return static_cast<OperatorId>(v);
  SIM_CHECK(false, "no cycle in a graph without topological order");
  return -1;
}

}  // namespace

std::string to_string(const Shape& shape) {
  std::string text;
  for (const std::int64_t dim : shape) fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : "x", dim);
  return shape.empty() ? "scalar" : text;
}

std::string place_of(const Operator& op) { return fmt::format("operator '{}' ({})", op.name, name_of(op.kind)); }

TensorId Graph::add_tensor(Tensor tensor) {
  if (tensor.name.empty()) throw UserError(name, "a tensor has no name");
  check_shape(tensor);
  check_data(tensor);
  const auto id = static_cast<TensorId>(tensors_.size());
  if (!tensor_by_name_.emplace(tensor.name, id).second)
    throw UserError(fmt::format("tensor '{}'", tensor.name), "the name is defined twice");
  tensors_.push_back(std::move(tensor));
  return id;
}

OperatorId Graph::add_operator(Operator op) {
  check_stop();
  if (operators_.size() >= kMaxOperators)
    throw UserError(fmt::format("operator '{}'", op.name),
                    fmt::format("a graph has at most {} operators", kMaxOperators));
  if (op.kind == OpKind::kMatMulNBits && op.inputs.size() > 1) {
    Tensor& bytes = tensor(op.inputs[1]);
    bytes.type = DataType::kInt8, bytes.fixed_type = DataType::kInt8;
  }
  const auto id = static_cast<OperatorId>(operators_.size());
  Tensor& output = tensor(op.output);
  if (output.producer)
    throw UserError(fmt::format("tensor '{}'", output.name), fmt::format("has two producers, operators '{}' and '{}'",
                                                                         operators_[*output.producer].name, op.name));
  if (output.kind == TensorKind::kInput || output.kind == TensorKind::kConstant)
    throw UserError(fmt::format("operator '{}'", op.name),
                    fmt::format("writes to '{}', which is an input or a constant", output.name));
  output.producer = id;
  for (const TensorId input : op.inputs) link_consumer(tensor(input), id);
  for (const Epilogue& epilogue : op.epilogues)
    if (epilogue.operand) link_consumer(tensor(*epilogue.operand), id);
  operators_.push_back(std::move(op));
  return id;
}

std::optional<TensorId> Graph::find_tensor(std::string_view tensor_name) const {
  const auto found = tensor_by_name_.find(tensor_name);
  return found == tensor_by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<OperatorId> Graph::find_operator(std::string_view name) const {
  const auto at =
      std::find_if(operators_.begin(), operators_.end(), [&](const Operator& op) { return op.name == name; });
  if (at == operators_.end()) return std::nullopt;
  return static_cast<OperatorId>(at - operators_.begin());
}

std::vector<OperatorId> Graph::topological_order() const {
  const Edges edges = dependencies(*this);
  std::vector<std::size_t> open_inputs(operators_.size());
  std::priority_queue<OperatorId, std::vector<OperatorId>, std::greater<>> ready;
  for (std::size_t v = 0; v < operators_.size(); ++v) {
    open_inputs[v] = boost::in_degree(v, edges);
    if (open_inputs[v] == 0) ready.push(static_cast<OperatorId>(v));
  }
  std::vector<OperatorId> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (auto [edge, end] = boost::out_edges(order.back(), edges); edge != end; ++edge) {
      const auto next = boost::target(*edge, edges);
      if (--open_inputs[next] == 0) ready.push(static_cast<OperatorId>(next));
    }
  }
  if (order.size() != operators_.size())
    throw UserError(name,
                    fmt::format("operator '{}' depends on its own output", operators_[operator_on_cycle(edges)].name));
  return order;
}

TensorId without_renamings(const Graph& graph, TensorId id) {
  for (auto producer = graph.tensor(id).producer; producer && is_alias(graph.op(*producer).kind);
       producer = graph.tensor(id).producer)
    id = graph.op(*producer).inputs[0];
  return id;
}

bool same_elements(const Graph& graph, TensorId a, TensorId b) {
  return graph.tensor(a).shape == graph.tensor(b).shape && without_renamings(graph, a) == without_renamings(graph, b);
}

bool is_constant(const Graph& graph, TensorId id) {
  const Tensor& tensor = graph.tensor(id);
  if (tensor.kind == TensorKind::kConstant) return true;
  if (!tensor.producer || graph.op(*tensor.producer).kind != OpKind::kConcat) return false;
  const Operator& join = graph.op(*tensor.producer);
  return join.attributes.in_parts && std::ranges::all_of(join.inputs, [&](TensorId part) {
           return graph.tensor(part).kind == TensorKind::kConstant;
         });
}

}  // namespace tilewright
