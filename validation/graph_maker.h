// Small graphs made in code: each operator named as its output, shapes inferred.
#pragma once

#include "planner/graph/graph.h"

namespace tilewright {

class GraphMaker {
 public:
  explicit GraphMaker(std::string name) { graph_.name = std::move(name); }

  TensorId input(const std::string& name, Shape shape);
  TensorId constant(const std::string& name, Shape shape);
  // One element of a known value.
  TensorId scalar(const std::string& name, double value);
  TensorId add(const std::string& name, OpKind kind, std::vector<TensorId> inputs, Attributes attributes = {});
  TensorId reshape(const std::string& name, TensorId from, Shape shape);
  const Shape& shape(TensorId tensor) const { return graph_.tensor(tensor).shape; }

  // x [..., in] times a constant [in, out], plus a constant bias.
  TensorId linear(const std::string& name, TensorId x, std::int64_t out);
  // Square window, same padding all around, without bias.
  TensorId conv(const std::string& name, TensorId x, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                std::int64_t pad);
  // Over the last dimension, with scale and bias.
  TensorId layer_norm(const std::string& name, TensorId x);
  TensorId softmax(const std::string& name, TensorId x);
  // `kind` over the last dimension, which is kept.
  TensorId reduce_rows(const std::string& name, OpKind kind, TensorId x);
  // q, k, v: [heads, seq, head_dim]; softmax((q / sqrt(head_dim)) k^T) v.
  TensorId attention(const std::string& name, TensorId q, TensorId k, TensorId v);

  // `outputs` become outputs of the graph.
  Graph finish(const std::vector<TensorId>& outputs);
  Graph finish(TensorId output) { return finish(std::vector{output}); }

 private:
  TensorId tensor(const std::string& name, Shape shape, TensorKind kind);

  Graph graph_;
};

}  // namespace tilewright
