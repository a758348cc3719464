// Rewriting of graphs: taken apart into plain lists of tensors and operators and put together again; what no output
// depends on removed.
#pragma once

#include <vector>

#include "planner/graph/graph.h"

namespace tilewright {

class GraphEdit {
 public:
  explicit GraphEdit(const Graph& graph);

  std::vector<Tensor>& tensors() { return tensors_; }
  std::vector<Operator>& operators() { return operators_; }
  const std::vector<Operator>& operators() const { return operators_; }
  Tensor& tensor(TensorId id) { return tensors_.at(id); }
  const Tensor& tensor(TensorId id) const { return tensors_.at(id); }

  // A new tensor; its name is `name`, made unique by a number where it is taken.
  TensorId add_tensor(std::string name, Shape shape, TensorKind kind, std::optional<std::vector<double>> data = {});
  // A hidden tensor of the same elements, of any shape.
  TensorId add_like(TensorId like, std::string name, Shape shape);
  void add_operator(Operator op) { operators_.push_back(std::move(op)); }
  // A renaming of dimensions of `input`, in front of its readers.
  TensorId add_reshape(TensorId input, Shape shape);
  void remove(std::size_t op) { operators_.at(op).output = -1; }
  static bool removed(const Operator& op) { return op.output < 0; }

  // Every operator that reads `from` reads `to` instead.
  void redirect(TensorId from, TensorId to);
  // The only operator that reads `id`, when there is just one and the tensor is not the network's output; else -1.
  int only_reader(TensorId id) const;
  bool is_read(TensorId id) const;
  int writer(TensorId id) const;  // -1: none
  // The value of a constant of one element with known data.
  std::optional<double> scalar(TensorId id) const;

  // Without removed operators and without tensors that nothing uses any more (inputs and outputs of the network stay).
  Graph build() const;

 private:
  std::string name_;
  bool repeats_ = false;
  std::vector<Tensor> tensors_;
  std::vector<Operator> operators_;
};

// The other operand of a binary operator.
TensorId other_operand(const Operator& op, TensorId one);

// A graph of the operators that an output depends on, with the tensors they use and all inputs, in the same order.
Graph without_dead_parts(const Graph& graph);

}  // namespace tilewright
