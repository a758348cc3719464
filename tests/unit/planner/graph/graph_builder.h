// Shorthand for building small graphs in tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/reference/reference.h"

namespace tilewright {

inline TensorId add_input(Graph& graph, const std::string& name, Shape shape, TensorKind kind = TensorKind::kInput) {
  return graph.add_tensor({.name = name, .shape = std::move(shape), .kind = kind});
}

// Adds an operator named as its output, whose shape is inferred (or `shape` for a kReshape).
inline TensorId add_op(Graph& graph, const std::string& name, OpKind kind, std::vector<TensorId> inputs,
                       Attributes attributes = {}, Shape shape = {}) {
  Operator op{.name = name, .kind = kind, .inputs = std::move(inputs), .attributes = std::move(attributes)};
  if (kind != OpKind::kReshape) shape = infer_shape(graph, op);
  op.output = graph.add_tensor({.name = name + ".out", .shape = shape, .kind = TensorKind::kHidden});
  const TensorId output = op.output;
  graph.add_operator(std::move(op));
  return output;
}

// Shape and values of one operator on literal inputs.
struct Literal {
  Shape shape;
  TensorValues values;
};
inline Literal compute(OpKind kind, const std::vector<Literal>& inputs, Attributes attributes = {}, Shape shape = {}) {
  Graph graph;
  std::vector<TensorId> ids;
  std::vector<const TensorValues*> values;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ids.push_back(add_input(graph, "input" + std::to_string(i), inputs[i].shape));
    values.push_back(&inputs[i].values);
  }
  const TensorId output = add_op(graph, "op", kind, ids, std::move(attributes), std::move(shape));
  return {graph.tensor(output).shape, compute_reference(graph, graph.op(0), values, {})};
}

}  // namespace tilewright
