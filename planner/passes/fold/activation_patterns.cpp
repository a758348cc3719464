#include "planner/passes/fold/activation_patterns.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tilewright {
namespace {

bool close_to(std::optional<double> value, double wanted) { return value && std::abs(*value - wanted) < 1e-3 * wanted; }

// x when `id` is x * factor or x / (1 / factor) with a constant of one element.
std::optional<TensorId> scaled_input(const GraphEdit& edit, const std::vector<Operator>& ops, TensorId id,
                                     double factor) {
  const int writer = edit.writer(id);
  if (writer < 0) return std::nullopt;
  const Operator& op = ops[writer];
  if (op.kind == OpKind::kDiv && close_to(edit.scalar(op.inputs[1]), 1 / factor)) return op.inputs[0];
  if (op.kind != OpKind::kMul) return std::nullopt;
  if (close_to(edit.scalar(op.inputs[1]), factor)) return op.inputs[0];
  if (close_to(edit.scalar(op.inputs[0]), factor)) return op.inputs[1];
  return std::nullopt;
}

// The operators of one GELU, x * 0.5 * (1 + f(argument of x)): the products may come in any order.
class GeluPattern {
 public:
  // `curve`: the operator f, erf or tanh.
  GeluPattern(GraphEdit& edit, std::size_t curve) : edit_(edit), ops_(edit.operators()), curve_(curve) {}

  // Replaces the last operator by a GELU and removes the others, where it is one.
  void fold() {
    const bool by_erf = ops_[curve_].kind == OpKind::kErf;
    if (!(by_erf ? follow_erf() : follow_tanh())) return;
    const int add = edit_.only_reader(ops_[curve_].output);
    if (add < 0 || ops_[add].kind != OpKind::kAdd ||
        !close_to(edit_.scalar(other_operand(ops_[add], ops_[curve_].output)), 1))
      return;
    inner_.insert(inner_.end(), {static_cast<int>(curve_), add});
    const int last = follow_products(ops_[add].output);
    if (last < 0) return;
    for (const int op : inner_)
      if (op != last) edit_.remove(op);
    ops_[last].kind = by_erf ? OpKind::kGelu : OpKind::kGeluTanh;
    ops_[last].inputs = {x_};
    ops_[last].attributes = {};
  }

 private:
  // What writes `id` for one reader alone, and for the pattern; -1 otherwise.
  int inner(TensorId id) {
    const int writer = edit_.only_reader(id) >= 0 ? edit_.writer(id) : -1;
    if (writer >= 0) inner_.push_back(writer);
    return writer;
  }

  // erf(x / sqrt 2)
  bool follow_erf() {
    const TensorId argument = ops_[curve_].inputs[0];
    const auto x = scaled_input(edit_, ops_, argument, 1 / std::numbers::sqrt2);
    if (!x || inner(argument) < 0) return false;
    x_ = *x;
    return true;
  }

  // tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))
  bool follow_tanh() {
    const TensorId argument = ops_[curve_].inputs[0];
    const auto sum = scaled_input(edit_, ops_, argument, std::sqrt(2 / std::numbers::pi));
    if (!sum || inner(argument) < 0) return false;
    const int add = inner(*sum);
    if (add < 0 || ops_[add].kind != OpKind::kAdd) return false;
    for (const int i : {0, 1}) {
      const auto cube = scaled_input(edit_, ops_, ops_[add].inputs[i], 0.044715);
      x_ = ops_[add].inputs[1 - i];
      if (cube) return inner(ops_[add].inputs[i]) >= 0 && is_cube(*cube);
    }
    return false;
  }

  // x^3 or x * (x * x), with its operators.
  bool is_cube(TensorId id) {
    const int power = inner(id);
    if (power < 0) return false;
    if (ops_[power].kind == OpKind::kPow)
      return ops_[power].inputs[0] == x_ && close_to(edit_.scalar(ops_[power].inputs[1]), 3);
    if (ops_[power].kind != OpKind::kMul || std::ranges::count(ops_[power].inputs, x_) != 1) return false;
    const int square = inner(other_operand(ops_[power], x_));
    return square >= 0 && ops_[square].kind == OpKind::kMul && std::ranges::count(ops_[square].inputs, x_) == 2;
  }

  // Index of the product at which both x and 0.5 have been multiplied; -1 when something else comes first.
  int follow_products(TensorId product) {
    bool has_x = false, has_half = false;
    for (;;) {
      const int reader = edit_.only_reader(product);
      if (reader < 0 || ops_[reader].kind != OpKind::kMul) return -1;
      const TensorId other = other_operand(ops_[reader], product);
      const bool half_x =
          !has_x && !has_half && scaled_input(edit_, ops_, other, 0.5) == x_ && edit_.only_reader(other) == reader;
      if (half_x) {
        inner_.push_back(edit_.writer(other));
        has_x = has_half = true;
      } else if (!has_x && other == x_) {
        has_x = true;
      } else if (!has_half && close_to(edit_.scalar(other), 0.5)) {
        has_half = true;
      } else {
        return -1;
      }
      inner_.push_back(reader);
      if (has_x && has_half) return reader;
      product = ops_[reader].output;
    }
  }

  GraphEdit& edit_;
  std::vector<Operator>& ops_;
  std::size_t curve_;
  TensorId x_ = -1;
  std::vector<int> inner_;
};

// x * sigmoid(x), the product in any order, becomes one Silu where nothing else reads the sigmoid.
void fold_silu(GraphEdit& edit, std::size_t sigmoid) {
  const Operator gate = edit.operators()[sigmoid];
  const int product = edit.only_reader(gate.output);
  if (product < 0 || edit.operators()[product].kind != OpKind::kMul) return;
  Operator& silu = edit.operators()[product];
  if (other_operand(silu, gate.output) != gate.inputs[0]) return;
  edit.remove(sigmoid);
  silu.kind = OpKind::kSilu;
  silu.inputs = {gate.inputs[0]};
}

template <typename Fold>
void for_each_of(GraphEdit& edit, std::initializer_list<OpKind> kinds, Fold fold) {
  const std::size_t count = edit.operators().size();
  for (std::size_t i = 0; i < count; ++i)
    if (!GraphEdit::removed(edit.operators()[i]) && std::ranges::count(kinds, edit.operators()[i].kind) > 0) fold(i);
}

}  // namespace

void fold_activations(GraphEdit& edit) {
  for_each_of(edit, {OpKind::kErf, OpKind::kTanh}, [&](std::size_t i) { GeluPattern(edit, i).fold(); });
  for_each_of(edit, {OpKind::kSigmoid}, [&](std::size_t i) { fold_silu(edit, i); });
}

}  // namespace tilewright
