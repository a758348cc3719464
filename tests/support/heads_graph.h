// Attention of heads of queries that share keys and values, repeated in the ways that exporters do.
#pragma once

#include <string>
#include <vector>

#include "planner/graph/operator_shape.h"

namespace tilewright::test {

// How keys and values come to as many heads as queries have.
enum class Repeat { kExpanded, kGathered, kTiled, kBroadcast };

struct SharedHeads {
  Repeat repeat = Repeat::kExpanded;
  std::int64_t batch = 1, keys_of = 2, group = 3, queries = 5, keys = 11, depth = 8;
  Shape mask;                   // none
  bool known_mask = false;      // hides later keys
  bool scaled = false;          // the keys, element by element
  bool read_elsewhere = false;  // what is repeated
};

class HeadsGraph {
 public:
  explicit HeadsGraph(const SharedHeads& heads) : h_(heads) {}

  Graph build() {
    const bool broadcast = h_.repeat == Repeat::kBroadcast;
    const Shape by_group{h_.batch, h_.keys_of, h_.group, h_.queries, h_.depth};
    const Shape by_head{h_.batch, heads(), h_.queries, h_.depth};
    const TensorId q = add("q", broadcast ? by_group : by_head, TensorKind::kInput);
    TensorId scores = op("scores", OpKind::kMatMul, {q, keys()});
    if (!h_.mask.empty()) scores = op("masked", OpKind::kAdd, {scores, mask()});
    const TensorId shares = op("softmax", OpKind::kSoftmax, {scores}, {.axis = broadcast ? 4 : 3});
    op("context", OpKind::kMatMul, {shares, repeated(given("v"))}, {}, TensorKind::kOutput);
    return std::move(graph_);
  }

 private:
  std::int64_t heads() const { return h_.keys_of * h_.group; }
  TensorId add(const std::string& name, Shape shape, TensorKind kind) {
    return graph_.add_tensor({.name = name, .shape = std::move(shape), .kind = kind});
  }
  TensorId op(const std::string& name, OpKind kind, std::vector<TensorId> inputs, Attributes attributes = {},
              TensorKind output = TensorKind::kHidden) {
    Operator op{.name = name, .kind = kind, .inputs = std::move(inputs), .attributes = std::move(attributes)};
    const TensorId id = op.output = add(name + ".out", infer_shape(graph_, op), output);
    graph_.add_operator(std::move(op));
    return id;
  }
  TensorId reshaped(TensorId x, Shape shape) {
    const std::string name = "view" + std::to_string(graph_.operators().size());
    const TensorId view = add(name, std::move(shape), TensorKind::kHidden);
    graph_.add_operator({.name = name, .kind = OpKind::kReshape, .inputs = {x}, .output = view});
    return view;
  }
  TensorId given(const std::string& name) {
    return add(name, {h_.batch, h_.keys_of, h_.keys, h_.depth}, TensorKind::kInput);
  }
  TensorId rows(std::vector<double> rows) {
    const std::string name = "rows" + std::to_string(graph_.operators().size());
    const auto count = static_cast<std::int64_t>(rows.size());
    return graph_.add_tensor(
        {.name = name, .shape = {count}, .kind = TensorKind::kConstant, .is_index = true, .data = std::move(rows)});
  }
  std::string next(const char* name) const { return name + std::to_string(graph_.operators().size()); }

  // [batch, keys_of, keys, depth] for each head of queries.
  TensorId repeated(TensorId x) {
    std::vector<double> every;
    for (std::int64_t head = 0; head < heads(); ++head) every.push_back(static_cast<double>(head / h_.group));
    if (h_.repeat == Repeat::kGathered) return read(op(next("every"), OpKind::kGather, {x, rows(every)}, {.axis = 1}));
    x = reshaped(x, {h_.batch, h_.keys_of, 1, h_.keys, h_.depth});
    if (h_.repeat == Repeat::kBroadcast) return x;
    if (h_.repeat == Repeat::kExpanded) {
      const TensorId zeros = rows(std::vector<double>(static_cast<std::size_t>(h_.group), 0));
      x = op(next("expanded"), OpKind::kGather, {x, zeros}, {.axis = 2});
    } else {
      x = op(next("tiled"), OpKind::kConcat, std::vector<TensorId>(static_cast<std::size_t>(h_.group), x), {.axis = 2});
    }
    return read(reshaped(x, {h_.batch, heads(), h_.keys, h_.depth}));
  }
  TensorId read(TensorId x) {
    if (h_.read_elsewhere) op(next("copy"), OpKind::kNeg, {x}, {}, TensorKind::kOutput);
    return x;
  }
  TensorId keys() {
    const TensorId k = repeated(given("k"));
    const bool broadcast = h_.repeat == Repeat::kBroadcast;
    const std::vector<std::int64_t> order =
        broadcast ? std::vector<std::int64_t>{0, 1, 2, 4, 3} : std::vector<std::int64_t>{0, 1, 3, 2};
    const TensorId turned = op("turned", OpKind::kTranspose, {k}, {.permutation = order});
    if (!h_.scaled) return turned;
    const TensorId scale =
        graph_.add_tensor({.name = "scale", .shape = {}, .kind = TensorKind::kConstant, .data = std::vector{0.35}});
    return op("scaled", OpKind::kMul, {turned, scale});
  }
  TensorId mask() {
    Tensor mask{.name = "mask", .shape = h_.mask, .kind = h_.known_mask ? TensorKind::kConstant : TensorKind::kInput};
    for (std::int64_t i = 0; h_.known_mask && i < element_count(h_.mask); ++i) {
      if (i == 0) mask.data.emplace();
      mask.data->push_back(i % h_.keys > i / h_.keys % h_.queries ? -1e9 : 0);
    }
    return graph_.add_tensor(std::move(mask));
  }

  SharedHeads h_;
  Graph graph_;
};

}  // namespace tilewright::test
