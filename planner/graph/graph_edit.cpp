#include "planner/graph/graph_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/base/stop.h"

namespace tilewright {
namespace {

bool reads(const Operator& op, TensorId id) {
  return std::count(op.inputs.begin(), op.inputs.end(), id) > 0 ||
         std::any_of(op.epilogues.begin(), op.epilogues.end(), [&](const Epilogue& e) { return e.operand == id; });
}

template <typename Map>
void map_tensors(Operator& op, Map map) {
  for (TensorId& input : op.inputs) input = map(input);
  for (Epilogue& epilogue : op.epilogues)
    if (epilogue.operand) epilogue.operand = map(*epilogue.operand);
}

struct Liveness {
  std::vector<bool> tensors, operators;
};

Liveness live_parts(const Graph& graph) {
  Liveness live{std::vector<bool>(graph.tensors().size()), std::vector<bool>(graph.operators().size())};
  std::vector<TensorId> open;
  for (TensorId id = 0; id < static_cast<TensorId>(graph.tensors().size()); ++id)
    if (graph.tensor(id).kind == TensorKind::kOutput) open.push_back(id);
  while (!open.empty()) {
    check_stop();
    const TensorId id = open.back();
    open.pop_back();
    if (live.tensors[id]) continue;
    live.tensors[id] = true;
    if (!graph.tensor(id).producer) continue;
    live.operators[*graph.tensor(id).producer] = true;
    const std::vector<TensorId>& inputs = graph.op(*graph.tensor(id).producer).inputs;
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  return live;
}

}  // namespace

GraphEdit::GraphEdit(const Graph& graph)
    : name_(graph.name), repeats_(graph.repeats), tensors_(graph.tensors()), operators_(graph.operators()) {}

TensorId GraphEdit::add_tensor(std::string name, Shape shape, TensorKind kind,
                               std::optional<std::vector<double>> data) {
  auto taken = [&](const std::string& wanted) {
    return std::any_of(tensors_.begin(), tensors_.end(), [&](const Tensor& t) { return t.name == wanted; });
  };
  std::string free = name;
  for (int i = 2; taken(free); ++i) free = fmt::format("{}.{}", name, i);
  tensors_.push_back({.name = free, .shape = std::move(shape), .kind = kind, .data = std::move(data)});
  return static_cast<TensorId>(tensors_.size()) - 1;
}

TensorId GraphEdit::add_like(TensorId like, std::string name, Shape shape) {
  const TensorId id = add_tensor(std::move(name), std::move(shape), TensorKind::kHidden);
  tensor(id).is_index = tensor(like).is_index;
  tensor(id).fixed_type = tensor(like).fixed_type;
  return id;
}

TensorId GraphEdit::add_reshape(TensorId input, Shape shape) {
  const TensorId output = add_like(input, tensor(input).name + ".view", std::move(shape));
  operators_.push_back({.name = tensor(output).name, .kind = OpKind::kReshape, .inputs = {input}, .output = output});
  return output;
}

void GraphEdit::redirect(TensorId from, TensorId to) {
  for (Operator& op : operators_) map_tensors(op, [&](TensorId id) { return id == from ? to : id; });
}

int GraphEdit::only_reader(TensorId id) const {
  if (tensors_.at(id).kind != TensorKind::kHidden) return -1;
  int reader = -1;
  for (std::size_t i = 0; i < operators_.size(); ++i) {
    if (removed(operators_[i]) || !reads(operators_[i], id)) continue;
    if (reader >= 0) return -1;
    reader = static_cast<int>(i);
  }
  return reader;
}

bool GraphEdit::is_read(TensorId id) const {
  return std::any_of(operators_.begin(), operators_.end(),
                     [&](const Operator& op) { return !removed(op) && reads(op, id); });
}

int GraphEdit::writer(TensorId id) const {
  const auto it =
      std::find_if(operators_.begin(), operators_.end(), [&](const Operator& op) { return op.output == id; });
  return it == operators_.end() ? -1 : static_cast<int>(it - operators_.begin());
}

std::optional<double> GraphEdit::scalar(TensorId id) const {
  const Tensor& t = tensors_.at(id);
  return is_known_scalar(t) ? std::optional(t.data->front()) : std::nullopt;
}

Graph GraphEdit::build() const {
  std::vector<bool> used(tensors_.size(), false);
  for (std::size_t id = 0; id < tensors_.size(); ++id)
    used[id] = tensors_[id].kind == TensorKind::kInput || tensors_[id].kind == TensorKind::kOutput;
  for (Operator op : operators_) {
    if (removed(op)) continue;
    used[op.output] = true;
    map_tensors(op, [&](TensorId id) { return used[id] = true, id; });
  }
  Graph graph;
  graph.name = name_;
  graph.repeats = repeats_;
  std::vector<TensorId> renumbered(tensors_.size(), -1);
  for (std::size_t id = 0; id < tensors_.size(); ++id) {
    if (!used[id]) continue;
    Tensor tensor = tensors_[id];
    tensor.producer.reset();
    tensor.consumers.clear();
    renumbered[id] = graph.add_tensor(std::move(tensor));
  }
  for (Operator op : operators_) {
    if (removed(op)) continue;
    op.output = renumbered[op.output];
    map_tensors(op, [&](TensorId id) { return renumbered[id]; });
    graph.add_operator(std::move(op));
  }
  return graph;
}

TensorId other_operand(const Operator& op, TensorId one) { return op.inputs[0] == one ? op.inputs[1] : op.inputs[0]; }

Graph without_dead_parts(const Graph& graph) {
  const Liveness live = live_parts(graph);
  Graph result;
  result.name = graph.name;
  std::vector<TensorId> new_id(graph.tensors().size(), -1);
  for (std::size_t id = 0; id < new_id.size(); ++id) {
    Tensor tensor = graph.tensors()[id];
    if (!live.tensors[id] && tensor.kind != TensorKind::kInput) continue;
    tensor.producer.reset();
    tensor.consumers.clear();
    new_id[id] = result.add_tensor(std::move(tensor));
  }
  for (std::size_t id = 0; id < live.operators.size(); ++id) {
    if (!live.operators[id]) continue;
    Operator op = graph.operators()[id];
    for (TensorId& input : op.inputs) input = new_id[input];
    op.output = new_id[op.output];
    result.add_operator(std::move(op));
  }
  return result;
}

}  // namespace tilewright
