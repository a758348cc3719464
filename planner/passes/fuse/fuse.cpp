#include "planner/passes/fuse/fuse.h"

#include <algorithm>

#include "planner/estimate/bandwidth.h"
#include "planner/graph/graph_edit.h"
#include "planner/ir/axes.h"
#include "planner/ir/contraction.h"
#include "planner/ir/epilogue.h"
#include "planner/passes/fuse/product_views.h"
#include "sim/base/error.h"
#include "sim/base/stop.h"

namespace tilewright {
namespace {

class Fusion {
 public:
  explicit Fusion(Plan& plan) : plan_(plan), edit_(plan.graph) {}

  void run() {
    const std::size_t count = edit_.operators().size();
    ProductViews views(edit_);
    for (std::size_t i = 0; i < count; ++i) {
      check_stop();
      if (GraphEdit::removed(op(i)) || !is_contraction(op(i).kind)) continue;
      make_scaling_explicit(i);
      take_bias(i);
      while (plan_.options.fuse && take_reader(i)) {
      }
      if (op(i).kind == OpKind::kConv) {
        if (plan_.options.fuse) take_factors(i);
        continue;
      }
      for (const std::size_t operand : {0, 1})
        if (plan_.options.fuse && op(i).kind == OpKind::kMatMul) take_transpose(i, operand);
      views.flatten(i, plan_.options.fuse);
    }
    if (plan_.options.fuse && plan_.options.group == Grouping::kAuto) {
      join_through_renamings();
      for (std::size_t i = 0; i < count; ++i)
        if (!GraphEdit::removed(op(i)) && op(i).kind == OpKind::kReduceMean) part_mean(i);
    }
    plan_.graph = edit_.build();
  }

 private:
  // Operators are added while others are looked at, so they are always named by index.
  Operator& op(std::size_t i) { return edit_.operators()[i]; }
  const Shape& shape(TensorId id) { return edit_.tensor(id).shape; }

  TensorId constant(const std::string& name, double value) {
    return edit_.add_tensor(name, {1}, TensorKind::kConstant, std::vector<double>{value});
  }

  // alpha * A * B + beta * C: the factors become products of their own.
  void make_scaling_explicit(std::size_t i) {
    const double alpha = op(i).attributes.alpha, beta = op(i).attributes.beta;
    const bool biased = op(i).inputs.size() > 2;
    op(i).attributes.alpha = op(i).attributes.beta = 1;
    if (op(i).kind != OpKind::kMatMul || (alpha == 1 && (beta == 1 || !biased))) return;
    const std::string name = op(i).name;
    if (biased && beta != 1) op(i).inputs[2] = scaled(op(i).inputs[2], name + ".beta", beta);
    if (alpha != 1) op(i).inputs[0] = scaled(op(i).inputs[0], name + ".alpha", alpha);
  }

  TensorId scaled(TensorId input, const std::string& name, double factor) {
    const TensorId output = edit_.add_tensor(name + ".out", shape(input), TensorKind::kHidden);
    edit_.add_operator(
        {.name = name, .kind = OpKind::kMul, .inputs = {input, constant(name, factor)}, .output = output});
    return output;
  }

  TensorId as_vector(TensorId id) {
    return shape(id).size() == 1 ? id : edit_.add_reshape(id, {element_count(shape(id))});
  }

  // The third input becomes an epilogue, or, when it is more than a vector, an addition behind.
  void take_bias(std::size_t i) {
    if (op(i).inputs.size() < 3 || op(i).kind == OpKind::kMatMulNBits || op(i).attributes.channel_factors) return;
    const TensorId bias = op(i).inputs[2], output = op(i).output;
    op(i).inputs.pop_back();
    const bool is_vector = op(i).kind == OpKind::kConv || per_channel(shape(bias), shape(output), OpKind::kMatMul);
    if (is_vector) {
      const TensorId vector = as_vector(bias);
      op(i).epilogues.push_back({OpKind::kAdd, vector, {}});
      return;
    }
    const std::string name = op(i).name;
    const TensorId product = edit_.add_like(output, name + ".product", shape(output));
    op(i).output = product;
    edit_.add_operator({.name = name + ".bias", .kind = OpKind::kAdd, .inputs = {product, bias}, .output = output});
  }

  // Weights that are a product with one factor per channel (fold/scaled_weights.h): each core multiplies those that it
  // loads itself, which takes no memory between the two, and nothing waits for the factors but that.
  void take_factors(std::size_t i) {
    const TensorId scaled = op(i).inputs[1];
    const int writer = edit_.writer(scaled);
    if (writer < 0 || op(writer).kind != OpKind::kMul || edit_.only_reader(scaled) != static_cast<int>(i)) return;
    if (!is_float(scaled) || op(i).attributes.groups != 1 || !op(writer).attributes.levels.empty()) return;
    for (const std::size_t at : {1, 0}) {
      const TensorId factors = op(writer).inputs[at], weights = op(writer).inputs[1 - at];
      if (factors == weights || shape(weights) != shape(scaled) || !is_float(factors) || !is_float(weights) ||
          !per_channel(shape(factors), shape(weights), OpKind::kConv))
        continue;
      op(i).inputs = {op(i).inputs[0], weights, factors};
      op(i).attributes.channel_factors = true;
      edit_.remove(writer);
      return;
    }
  }

  bool is_float(TensorId id) {
    const Tensor& tensor = edit_.tensor(id);
    return plan_.options.type != DataType::kInt8 && !tensor.is_index && !tensor.fixed_type;
  }

  // Takes the only reader of the result as an epilogue when it is one.
  bool take_reader(std::size_t i) {
    const int reader = edit_.only_reader(op(i).output);
    if (reader < 0) return false;
    const Operator next = op(reader);
    if (!next.attributes.levels.empty() || (sums_integers(i) ? !fits_integers(i, next) : gives_integers(next)))
      return false;
    Epilogue epilogue{next.kind, {}, next.attributes};
    if (traits_of(next.kind).family == OperatorFamily::kBinary) {
      epilogue.operand = operand_for(i, next);
      if (!epilogue.operand) return false;
    } else if (!is_activation(next.kind)) {
      return false;
    }
    op(i).epilogues.push_back(epilogue);
    op(i).output = next.output;
    edit_.remove(reader);
    return true;
  }

  // The result of a contraction stays in the accumulator's type until it is stored.
  bool gives_integers(const Operator& op) { return traits_of(op.kind).is(kTruth) || edit_.tensor(op.output).is_index; }

  bool sums_integers(std::size_t i) { return edit_.tensor(op(i).inputs[0]).fixed_type == DataType::kInt8; }

  // Of sums in int32, and of what they are quantised to: limits are levels of int8.
  bool fits_integers(std::size_t i, const Operator& next) {
    if (traits_of(next.kind).is(kTruth)) return false;
    const auto& before = op(i).epilogues;
    const bool requantised =
        std::any_of(before.begin(), before.end(), [](const Epilogue& e) { return e.kind == OpKind::kRequantize; });
    return requantised ? next.kind == OpKind::kClip : traits_of(next.kind).is(kExactOnInt32);
  }

  // What `next`, the only reader of operator i's result, applies to it, in the form an epilogue takes.
  std::optional<TensorId> operand_for(std::size_t i, const Operator& next) {
    const TensorId result = op(i).output;
    const bool first = next.inputs[0] == result;
    const TensorId other = first ? next.inputs[1] : next.inputs[0];
    if (other == result || shape(next.output) != shape(result) || !(first || traits_of(next.kind).is(kCommutative)))
      return std::nullopt;
    if (edit_.scalar(other)) return other;
    if (per_channel(shape(other), shape(result), op(i).kind)) return as_vector(other);
    if (!takes_elements(i) || !stands_before(other, i)) return std::nullopt;
    return fits_elements(shape(other), shape(result), op(i).kind) ? std::optional(other) : std::nullopt;
  }

  // Whether the tensor is there when operator i is its turn: waiting for another branch would hold up its own.
  bool stands_before(TensorId tensor, std::size_t i) const {
    return edit_.writer(without_renamings(tensor)) < static_cast<int>(i);
  }

  TensorId without_renamings(TensorId tensor) const {
    const int writer = edit_.writer(tensor);
    const bool renamed = writer >= 0 && is_alias(edit_.operators()[writer].kind);
    return renamed ? without_renamings(edit_.operators()[writer].inputs[0]) : tensor;
  }

  // An int8 network's other results are int32 and have no place in it.
  bool takes_elements(std::size_t i) {
    const auto apart = plan_.options.groups.value_or(GroupChoice{}).apart;
    return plan_.options.group == Grouping::kAuto && plan_.options.type != DataType::kInt8 && !sums_integers(i) &&
           std::count(apart.begin(), apart.end(), op(i).name) == 0;
  }

  // The Transpose that makes the operand when it transposes matrices and the product can read them as they lie instead;
  // -1: none. An A whose batches become rows of one product stays as it is, and so does what others read, too, when the
  // Transpose also moves the rows.
  int transpose_of(std::size_t i, std::size_t operand) {
    const TensorId transposed = op(i).inputs[operand];
    const int transpose = edit_.writer(transposed);
    if (transpose < 0 || op(transpose).kind != OpKind::kTranspose || op(i).inputs[0] == op(i).inputs[1]) return -1;
    const Shape &a = shape(op(i).inputs[0]), &b = shape(op(i).inputs[1]);
    if (operand == 0 && a.size() > 2 && matrices(b) == 1) return -1;
    const std::vector<std::int64_t>& order = op(transpose).attributes.permutation;
    if (order.size() < 2 || order[order.size() - 2] != std::ssize(order) - 1) return -1;
    return edit_.only_reader(transposed) >= 0 || keeps_order(rows_kept(order)) ? transpose : -1;
  }

  // What a permutation does besides transposing matrices.
  static std::vector<std::int64_t> rows_kept(std::vector<std::int64_t> order) {
    std::swap(order.back(), order[order.size() - 2]);
    return order;
  }
  static bool keeps_order(const std::vector<std::int64_t>& order) { return std::is_sorted(order.begin(), order.end()); }

  void take_transpose(std::size_t i, std::size_t operand) {
    const int at = transpose_of(i, operand);
    if (at < 0) return;
    const TensorId transposed = op(i).inputs[operand];
    Operator move = op(at);
    move.attributes.permutation = rows_kept(move.attributes.permutation);
    if (edit_.only_reader(transposed) >= 0) edit_.remove(at);
    op(i).inputs[operand] = move.inputs[0];
    if (!keeps_order(move.attributes.permutation)) {
      Shape rows = shape(transposed);
      std::swap(rows.back(), rows[rows.size() - 2]);
      move.output = edit_.add_like(transposed, edit_.tensor(transposed).name + ".rows", rows);
      op(i).inputs[operand] = move.output;
      edit_.add_operator(std::move(move));
    }
    bool& flag = operand == 0 ? op(i).attributes.transpose_a : op(i).attributes.transpose_b;
    flag = !flag;
  }

  // The mean of images that a convolution by groups makes, whose parts hold whole sums, becomes one of rows, which may
  // be formed where the rows are (ir/follower.h), and one of those.
  void part_mean(std::size_t i) {
    const TensorId images = op(i).inputs[0];
    const int writer = edit_.writer(images);
    if (writer < 0 || op(writer).kind != OpKind::kConv || op(writer).attributes.groups == 1 || !is_float(images) ||
        op(i).attributes.axes != std::vector<std::int64_t>{2, 3} || !rows_are_worth_it(shape(images)[3]))
      return;
    Shape rows = shape(images);
    rows[3] = 1;
    const std::string name = op(i).name + ".rows";
    const TensorId means = edit_.add_like(images, name, rows);
    edit_.tensor(means).fixed_type = DataType::kFp32;
    edit_.add_operator(
        {.name = name, .kind = OpKind::kReduceMean, .inputs = {images}, .output = means, .attributes = {.axes = {3}}});
    op(i).inputs[0] = means;
  }

  // Where lanes are added up one result at a time, a row costs that instead of being read again: short ones do not pay.
  bool rows_are_worth_it(std::int64_t columns) const {
    const Hardware& hardware = plan_.hardware;
    const auto bytes = static_cast<double>(columns * bytes_of(plan_.options.type));
    const double read = bytes / dram_peak(hardware), added = hardware.core.vector.reduction_cycles / hardware.cores();
    return read > added;
  }

  // Softmax and reductions along rows do not mind how the rows are counted: they take the shape that products were
  // given, so that no renaming stands between them.
  void join_through_renamings() {
    const std::size_t count = edit_.operators().size();
    for (std::size_t i = 0; i < count; ++i)
      if (!GraphEdit::removed(op(i)) && works_along_rows(edit_, op(i))) view_rows_as_written(i);
    for (std::size_t i = 0; i < count; ++i)
      if (!GraphEdit::removed(op(i)) && op(i).kind == OpKind::kMatMul) read_as_written(i);
    for (std::size_t i = edit_.operators().size(); i-- > 0;)
      if (!GraphEdit::removed(op(i)) && op(i).kind == OpKind::kReshape && is_unread(op(i).output)) remove_renamings(i);
  }

  // The rows before it, and what another product of the same rows makes of them (ir/group.h).
  void read_as_written(std::size_t i) {
    op(i).inputs[0] = before_renamings(op(i).inputs[0]);
    for (Epilogue& epilogue : op(i).epilogues) {
      if (!epilogue.operand) continue;
      const TensorId written = before_renamings(*epilogue.operand);
      const int writer = edit_.writer(written);
      if (writer >= 0 && op(writer).kind == OpKind::kMatMul &&
          without_renamings(op(writer).inputs[0]) == without_renamings(op(i).inputs[0]))
        epilogue.operand = written;
    }
  }

  bool is_unread(TensorId tensor) { return edit_.tensor(tensor).kind == TensorKind::kHidden && !edit_.is_read(tensor); }

  // The renaming, and those before it that nothing else reads.
  void remove_renamings(std::size_t i) {
    const int before = edit_.writer(op(i).inputs[0]);
    const TensorId input = op(i).inputs[0];
    edit_.remove(i);
    if (before >= 0 && op(before).kind == OpKind::kReshape && is_unread(input)) remove_renamings(before);
  }

  void view_rows_as_written(std::size_t i) {
    const TensorId input = op(i).inputs[0], output = op(i).output;
    const int writer = edit_.writer(input);
    if (writer < 0 || op(writer).kind != OpKind::kReshape) return;
    const TensorId written = op(writer).inputs[0];
    Shape rows = shape(written);
    if (rows.size() < 2 || rows.back() != shape(input).back()) return;
    const std::int64_t last = std::ssize(rows) - 1;
    if (op(i).kind == OpKind::kSoftmax) {
      op(i).attributes.axis = last;
    } else {
      op(i).attributes.axes = {last};
      rows.back() = 1;
    }
    const TensorId flat = edit_.add_like(output, edit_.tensor(output).name + ".flat", rows);
    op(i).inputs[0] = written;
    op(i).output = flat;
    edit_.add_operator({.name = edit_.tensor(flat).name, .kind = OpKind::kReshape, .inputs = {flat}, .output = output});
  }

  // The tensor of the same shape that renamings only lead away from and back to; itself when there is none.
  TensorId before_renamings(TensorId tensor) {
    TensorId found = tensor;
    for (int writer = edit_.writer(tensor); writer >= 0 && op(writer).kind == OpKind::kReshape;
         writer = edit_.writer(op(writer).inputs[0]))
      if (shape(op(writer).inputs[0]) == shape(tensor)) found = op(writer).inputs[0];
    return found;
  }

  Plan& plan_;
  GraphEdit edit_;
};

}  // namespace

void fuse(Plan& plan) { Fusion(plan).run(); }

void verify_fuse(const Plan& plan) {
  for (const Operator& op : plan.graph.operators()) {
    SIM_CHECK(op.epilogues.empty() || is_contraction(op.kind), "'{}' has epilogues", op.name);
    const bool scaled = op.kind == OpKind::kMatMulNBits || op.attributes.channel_factors;
    const std::size_t operands = scaled ? 3 : 2;
    SIM_CHECK(!is_contraction(op.kind) || op.inputs.size() == operands, "'{}' has {} inputs", op.name,
              op.inputs.size());
    for (const Epilogue& epilogue : op.epilogues)
      SIM_CHECK(
          form_of(plan.graph, epilogue) != EpilogueForm::kElement ||
              fits_elements(plan.graph.tensor(*epilogue.operand).shape, plan.graph.tensor(op.output).shape, op.kind),
          "an epilogue of '{}' has an operand of another shape", op.name);
  }
}

}  // namespace tilewright
