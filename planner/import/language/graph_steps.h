// A graph written as formulas: every step adds an operator with a tensor of its own, or a tensor.
#pragma once

#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/import/language/language_config.h"

namespace tilewright {

class GraphSteps {
 public:
  explicit GraphSteps(DataType type, const WeightFormat& weights = {}) : type_(type), format_(weights) {}

  Graph graph;

  // Names of the steps that follow begin with this.
  void enter(std::string prefix) { prefix_ = std::move(prefix); }

  const Shape& shape(TensorId id) const { return graph.tensor(id).shape; }
  TensorId indices(const std::string& name, const Shape& shape);  // an input
  TensorId cache(const std::string& name, const Shape& shape);    // an input that is appended to
  TensorId weights(const std::string& name, const Shape& shape);
  TensorId known(const std::string& name, const Shape& shape, std::vector<double> values);
  TensorId known_indices(const std::string& name, const std::vector<std::int64_t>& values);

  TensorId op(const std::string& name, OpKind kind, std::vector<TensorId> inputs, Attributes attributes = {});
  // x [rows, inputs] by weights [inputs, outputs], with a bias where asked for.
  TensorId linear(const std::string& name, TensorId x, std::int64_t outputs, bool bias);
  // The same with weights in the model's format.
  TensorId stored_linear(const std::string& name, TensorId x, std::int64_t outputs, bool bias);
  TensorId scaled(const std::string& name, TensorId x, double factor);
  TensorId reshape(const std::string& name, TensorId x, const Shape& target);  // x itself when it has the shape
  TensorId transpose(const std::string& name, TensorId x, std::vector<std::int64_t> permutation);
  // Rows of x [rows, ...] by number.
  TensorId rows(const std::string& name, TensorId x, const std::vector<std::int64_t>& numbers);
  void output(TensorId id) { graph.tensor(id).kind = TensorKind::kOutput; }

 private:
  TensorId add(Tensor tensor);

  TensorId packed_product(const std::string& name, TensorId x, std::int64_t outputs);

  DataType type_;
  WeightFormat format_;
  std::string prefix_;
};

}  // namespace tilewright
