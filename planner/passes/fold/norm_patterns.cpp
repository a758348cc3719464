#include "planner/passes/fold/norm_patterns.h"

#include <algorithm>

#include "planner/ir/axes.h"

namespace tilewright {
namespace {

// The operators around one square root.
class NormPattern {
 public:
  NormPattern(GraphEdit& edit, int root) : edit_(edit), ops_(edit.operators()), root_(root) {}

  // Replaces the last operator by the normalisation and removes the others, where they are one.
  void fold() {
    if (!follow_statistic() || !follow_quotient()) return;
    const bool centred = follow_centre();
    Operator norm{.kind = centred ? OpKind::kLayerNorm : OpKind::kRmsNorm, .inputs = {rows_}};
    norm.attributes.axis = std::ssize(shape(rows_)) - 1, norm.attributes.epsilon = epsilon_;
    norm.inputs.push_back(vector_behind(OpKind::kMul).value_or(-1));
    const std::optional<TensorId> shift = centred ? vector_behind(OpKind::kAdd) : std::nullopt;
    if (norm.inputs[1] < 0) norm.inputs[1] = ones();
    if (shift) norm.inputs.push_back(*shift);
    norm.name = ops_[last_].name, norm.output = ops_[last_].output;
    for (const int op : inner_) edit_.remove(op);
    ops_[last_] = std::move(norm);
  }

 private:
  const Shape& shape(TensorId id) const { return edit_.tensor(id).shape; }
  bool is(int op, OpKind kind) const { return op >= 0 && ops_[op].kind == kind && ops_[op].attributes.levels.empty(); }

  // The operator of that kind that writes `id` for one reader alone; -1: none.
  int written_by(TensorId id, OpKind kind) const {
    const int writer = edit_.only_reader(id) >= 0 ? edit_.writer(id) : -1;
    return is(writer, kind) ? writer : -1;
  }

  // The operator that writes `id`; -1 where that is no mean of each row.
  int mean_of_rows(TensorId id) const {
    const int mean = written_by(id, OpKind::kReduceMean);
    return mean >= 0 && reduces_rows(ops_[mean], shape(ops_[mean].inputs[0])) ? mean : -1;
  }

  // mean(rows^2) + epsilon
  bool follow_statistic() {
    const int add = written_by(ops_[root_].inputs[0], OpKind::kAdd);
    if (add < 0) return false;
    const int constant = edit_.scalar(ops_[add].inputs[0]) ? 0 : 1;
    const std::optional<double> epsilon = edit_.scalar(ops_[add].inputs[constant]);
    const int mean = mean_of_rows(ops_[add].inputs[1 - constant]);
    if (!epsilon || *epsilon < 0 || mean < 0) return false;
    const TensorId squares = ops_[mean].inputs[0];
    const int power = written_by(squares, OpKind::kPow), product = written_by(squares, OpKind::kMul);
    if (power >= 0 ? edit_.scalar(ops_[power].inputs[1]) != 2.0
                   : product < 0 || ops_[product].inputs[0] != ops_[product].inputs[1])
      return false;
    square_ = std::max(power, product);
    rows_ = ops_[square_].inputs[0], epsilon_ = *epsilon;
    inner_ = {root_, add, mean, square_};
    return true;
  }

  // rows / root, or rows * (1 / root)
  bool follow_quotient() {
    const TensorId root = ops_[root_].output;
    last_ = edit_.only_reader(root);
    if (is(last_, OpKind::kDiv) && ops_[last_].inputs == std::vector{rows_, root}) return true;
    const bool inverse = is(last_, OpKind::kReciprocal) || (is(last_, OpKind::kDiv) && ops_[last_].inputs[1] == root &&
                                                            edit_.scalar(ops_[last_].inputs[0]) == 1.0);
    if (!inverse) return false;
    inner_.push_back(last_);
    const TensorId factor = ops_[last_].output;
    last_ = edit_.only_reader(factor);
    return is(last_, OpKind::kMul) && other_operand(ops_[last_], factor) == rows_;
  }

  // x - mean(x) in place of x, which then are the rows.
  bool follow_centre() {
    const int centre = edit_.writer(rows_);
    if (!is(centre, OpKind::kSub) || !is_read_here_alone(rows_)) return false;
    const int mean = mean_of_rows(ops_[centre].inputs[1]);
    if (mean < 0 || ops_[mean].inputs[0] != ops_[centre].inputs[0]) return false;
    inner_.insert(inner_.end(), {centre, mean});
    rows_ = ops_[centre].inputs[0];
    return true;
  }

  // By the square and the quotient.
  bool is_read_here_alone(TensorId id) const {
    if (edit_.tensor(id).kind != TensorKind::kHidden) return false;
    for (int op = 0; op < static_cast<int>(ops_.size()); ++op)
      if (op != square_ && op != last_ && !GraphEdit::removed(ops_[op]) && std::ranges::count(ops_[op].inputs, id) > 0)
        return false;
    return true;
  }

  // The operand, one for each element of a row, of the operator of that kind behind the last one, which it then is.
  std::optional<TensorId> vector_behind(OpKind kind) {
    const TensorId result = ops_[last_].output;
    const int next = edit_.only_reader(result);
    if (!is(next, kind)) return {};
    const TensorId operand = other_operand(ops_[next], result);
    if (shape(operand) != Shape{shape(result).back()}) return {};
    inner_.push_back(last_);
    last_ = next;
    return operand;
  }

  TensorId ones() {
    const std::int64_t width = shape(rows_).back();
    return edit_.add_tensor(ops_[last_].name + ".scale", {width}, TensorKind::kConstant,
                            std::vector<double>(static_cast<std::size_t>(width), 1));
  }

  GraphEdit& edit_;
  std::vector<Operator>& ops_;
  int root_, square_ = -1, last_ = -1;
  TensorId rows_ = -1;  // what is squared and divided
  double epsilon_ = 0;
  std::vector<int> inner_;
};

}  // namespace

void fold_norms(GraphEdit& edit) {
  for (int op = 0; op < static_cast<int>(edit.operators().size()); ++op)
    if (!GraphEdit::removed(edit.operators()[op]) && edit.operators()[op].kind == OpKind::kSqrt)
      NormPattern(edit, op).fold();
}

}  // namespace tilewright
