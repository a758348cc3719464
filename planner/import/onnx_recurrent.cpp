// LSTM, GRU and RNN, unrolled: one product with the input for all steps, then one with the state for each.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/import/onnx_steps.h"

namespace tilewright {
namespace {

// The gates' order is ONNX's: iofc (LSTM), zrh (GRU).
struct Cell {
  std::int64_t gates = 1;
  bool has_memory = false;  // the LSTM's c
};

struct State {
  TensorId h = -1, c = -1;
};

// One direction of one layer.
class Direction {
 public:
  Direction(OnnxBuilder& b, const OnnxNode& node, const Cell& cell, std::int64_t index)
      : b_(b), node_(node), s_(b, node), cell_(cell), index_(index), hidden_(b.shape(node, 2).at(2)) {
    for (std::int64_t i = 0; i < activation_count(); ++i) activations_.push_back(activation(i));
    w_ = s_.transpose(part(1), {1, 0});
    r_ = s_.transpose(part(2), {1, 0});
    if (node.has_input(3)) bias_ = part(3);
  }

  // x: [steps, batch, features] -> the state behind every step, [batch, hidden] each.
  std::vector<State> run(TensorId x) {
    const Shape in = s_.shape(x);
    const std::int64_t steps = in[0], batch = in[1], width = cell_.gates * hidden_;
    TensorId projected = s_.matmul(s_.reshape(x, {steps * batch, in[2]}), w_);
    if (bias_ >= 0) projected = s_.add(projected, bias(0, cell_.gates));
    State state{initial(5, batch), cell_.has_memory ? initial(6, batch) : -1};
    std::vector<State> states(static_cast<std::size_t>(steps));
    const bool backward = index_ == 1 || node_.text("direction", "forward") == "reverse";
    for (std::int64_t i = 0; i < steps; ++i) {
      const std::int64_t t = backward ? steps - 1 - i : i;
      const TensorId row = s_.slice(s_.reshape(projected, {steps, batch, width}), 0, t, t + 1);
      state = next(s_.reshape(row, {batch, width}), state);
      states[t] = state;
    }
    return states;
  }

  // Index of the last step's state.
  std::size_t last(std::size_t steps) const {
    return index_ == 1 || node_.text("direction", "forward") == "reverse" ? 0 : steps - 1;
  }

 private:
  std::int64_t activation_count() const { return cell_.has_memory ? 3 : cell_.gates == 3 ? 2 : 1; }

  OpKind activation(std::int64_t i) const {
    const auto* list = node_.find("activations", onnx::AttributeProto::STRINGS);
    const std::int64_t at = index_ * activation_count() + i;
    const std::string otherwise = activation_count() > 1 && i == 0 ? "Sigmoid" : "Tanh";
    const std::string name = list && at < list->strings_size() ? list->strings(static_cast<int>(at)) : otherwise;
    for (const OpKind kind : {OpKind::kSigmoid, OpKind::kTanh, OpKind::kRelu})
      if (name_of(kind) == name) return kind;
    node_.fail(fmt::format("activation: got '{}', expected Sigmoid|Tanh|Relu", name));
  }

  // This direction's part of an input, without the dimension of directions.
  TensorId part(int input) {
    const TensorId all = s_.slice(b_.input(node_, input), 0, index_, index_ + 1);
    const Shape shape = s_.shape(all);
    return s_.reshape(all, Shape(shape.begin() + 1, shape.end()));
  }

  TensorId initial(int input, std::int64_t batch) {
    return node_.has_input(input) ? part(input) : s_.filled({batch, hidden_}, 0, float_element());
  }

  // Columns of one gate.
  TensorId gate(TensorId x, std::int64_t i) { return s_.slice(x, 1, i * hidden_, (i + 1) * hidden_); }
  TensorId gates_of(TensorId matrix, std::int64_t first, std::int64_t end) {
    return s_.slice(matrix, 1, first * hidden_, end * hidden_);
  }
  TensorId act(std::int64_t i, TensorId x) { return s_.op(activations_[i], {x}); }

  // Of gates [first, end): the input's and the state's biases stand one behind the other.
  TensorId bias_part(std::int64_t first, std::int64_t end) {
    return s_.slice(bias_, 0, first * hidden_, end * hidden_);
  }
  TensorId bias(std::int64_t first, std::int64_t end) {
    if (cell_.gates == 3) return bias_part(first, end);
    return s_.add(bias_part(first, end), bias_part(cell_.gates + first, cell_.gates + end));
  }

  State next(TensorId x, const State& state) {
    if (cell_.has_memory) return lstm(s_.add(x, s_.matmul(state.h, r_)), state);
    if (cell_.gates == 3) return gru(x, state);
    return {act(0, s_.add(x, s_.matmul(state.h, r_))), -1};
  }

  TensorId peephole(TensorId x, std::int64_t i, TensorId c) {
    if (!node_.has_input(7)) return x;
    return s_.add(x, s_.mul(c, s_.slice(part(7), 0, i * hidden_, (i + 1) * hidden_)));
  }

  State lstm(TensorId sum, const State& state) {
    const TensorId in = act(0, peephole(gate(sum, 0), 0, state.c)), forget = act(0, peephole(gate(sum, 2), 2, state.c));
    const TensorId c = s_.add(s_.mul(forget, state.c), s_.mul(in, act(1, gate(sum, 3))));
    const TensorId out = act(0, peephole(gate(sum, 1), 1, c));
    return {s_.mul(out, act(2, c)), c};
  }

  State gru(TensorId x, const State& state) {
    TensorId both = s_.add(gates_of(x, 0, 2), s_.matmul(state.h, gates_of(r_, 0, 2)));
    if (bias_ >= 0) both = s_.add(both, bias_part(3, 5));
    const TensorId update = act(0, gate(both, 0)), reset = act(0, gate(both, 1));
    const bool behind = node_.integer("linear_before_reset", 0) != 0;
    TensorId inner = s_.matmul(behind ? state.h : s_.mul(reset, state.h), gates_of(r_, 2, 3));
    if (bias_ >= 0) inner = s_.add(inner, bias_part(5, 6));
    const TensorId fresh = act(1, s_.add(gate(x, 2), behind ? s_.mul(reset, inner) : inner));
    return {s_.add(fresh, s_.mul(update, s_.sub(state.h, fresh))), -1};
  }

  OnnxBuilder& b_;
  const OnnxNode& node_;
  OnnxSteps s_;
  Cell cell_;
  std::int64_t index_, hidden_;
  std::vector<OpKind> activations_;
  TensorId w_ = -1, r_ = -1, bias_ = -1;
};

void check(const OnnxBuilder& b, const OnnxNode& node, std::int64_t steps) {
  if (node.find("clip", onnx::AttributeProto::FLOAT)) node.fail("clip is not supported");
  if (node.integer("input_forget", 0) != 0) node.fail("input_forget is not supported");
  if (!b.has(node, 4)) return;
  for (const std::int64_t length : b.integers(node, 4))
    if (length != steps) node.fail(fmt::format("a sequence of {} among {} steps is not supported", length, steps));
}

// The tensors one behind the other along new dimensions in front.
TensorId stacked(OnnxSteps& s, const std::vector<TensorId>& parts, const Shape& front) {
  std::vector<TensorId> rows;
  for (const TensorId part : parts) {
    Shape shape = s.shape(part);
    shape.insert(shape.begin(), 1);
    rows.push_back(s.reshape(part, shape));
  }
  const TensorId all = s.concat(std::move(rows), 0);
  Shape shape = front;
  shape.insert(shape.end(), s.shape(all).begin() + 1, s.shape(all).end());
  return s.reshape(all, shape);
}

void recurrent(OnnxBuilder& b, const OnnxNode& node, const Cell& cell) {
  OnnxSteps s(b, node);
  if (node.integer("layout", 0) != 0) node.fail("layout 1 is not supported");
  const TensorId x = b.input(node, 0);
  const std::int64_t steps = s.shape(x).at(0), directions = b.shape(node, 1).at(0);
  check(b, node, steps);
  std::vector<std::vector<State>> all;
  std::vector<TensorId> every, last_h, last_c;
  for (std::int64_t d = 0; d < directions; ++d) {
    Direction direction(b, node, cell, d);
    all.push_back(direction.run(x));
    const State& last = all.back()[direction.last(all.back().size())];
    last_h.push_back(last.h);
    last_c.push_back(last.c);
  }
  for (std::int64_t t = 0; t < steps; ++t)
    for (const auto& states : all) every.push_back(states[t].h);
  if (b.has_output(node, 0)) s.finish(stacked(s, every, {steps, directions}), 0);
  if (b.has_output(node, 1)) s.finish(stacked(s, last_h, {directions}), 1);
  if (b.has_output(node, 2)) s.finish(stacked(s, last_c, {directions}), 2);
}

void lstm(OnnxBuilder& b, const OnnxNode& node) { recurrent(b, node, {4, true}); }
void gru(OnnxBuilder& b, const OnnxNode& node) { recurrent(b, node, {3, false}); }
void rnn(OnnxBuilder& b, const OnnxNode& node) { recurrent(b, node, {1, false}); }

constexpr OnnxConversion kRecurrent[] = {{"LSTM", lstm, 1, 3}, {"GRU", gru, 1, 3}, {"RNN", rnn, 1, 3}};

}  // namespace

std::span<const OnnxConversion> onnx_recurrent_operators() { return kRecurrent; }

}  // namespace tilewright
