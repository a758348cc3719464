#include "planner/passes/fuse/product_views.h"

#include <algorithm>

#include "planner/graph/broadcast.h"
#include "planner/ir/axes.h"
#include "planner/ir/contraction.h"
#include "planner/passes/fuse/shared_operands.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Without the last dimensions.
Shape leading(const Shape& shape, std::ptrdiff_t without) { return {shape.begin(), shape.end() - without}; }

}  // namespace

std::int64_t matrices(const Shape& shape) { return element_count(leading(shape, 2)); }

bool works_along_rows(const GraphEdit& edit, const Operator& op) {
  const Shape& input = edit.tensor(op.inputs[0]).shape;
  return op.kind == OpKind::kSoftmax ? op.attributes.axis + 1 == std::ssize(input) : reduces_rows(op, input);
}

void ProductViews::flatten(std::size_t i, bool shares) {
  if (shares && share(i)) return;
  const Shape a = shape(op(i).inputs[0]), b = shape(op(i).inputs[1]), c = shape(op(i).output);
  const std::int64_t rows = a[a.size() - 2], depth = b[b.size() - 2], count = matrices(a);
  if (matrices(b) == 1 && !op(i).attributes.transpose_a) {
    if (c.size() > 2) view_as(i, {{count * rows, a.back()}, {depth, b.back()}, {count * c[c.size() - 2], c.back()}});
  } else if (leading(a, 2) == leading(b, 2) && c.size() > 3) {
    view_as(i, {{count, rows, a.back()}, {count, depth, b.back()}, {count, c[c.size() - 2], c.back()}});
  }
}

// `times` neighbours among the matrices of A share each of B, which has `batches` of them: as rows of one product, or
// as batches of their own.
ProductViews::View ProductViews::shared_view(std::size_t i, std::int64_t times, const Shape& batches, bool as_rows) {
  const Shape &a = shape(op(i).inputs[0]), &b = shape(op(i).inputs[1]), &c = shape(op(i).output);
  View view{batches, batches, batches};
  for (Shape* rows : {&view.a, &view.c})
    if (!as_rows) rows->push_back(times);
  if (!as_rows) view.b.push_back(1);
  const std::int64_t rows = (as_rows ? times : 1) * a[a.size() - 2];
  view.a.insert(view.a.end(), {rows, a.back()});
  view.b.insert(view.b.end(), {b[b.size() - 2], b.back()});
  view.c.insert(view.c.end(), {rows, c.back()});
  return view;
}

// Dimensions of the rows of `tensor` as a product writes them that it comes from through renamings, softmax and steps
// element by element; empty: from none.
Shape ProductViews::rows_as_written(TensorId tensor) {
  const int writer = edit_.writer(tensor);
  if (writer < 0) return {};
  if (is_contraction(op(writer).kind)) return leading(shape(tensor), 1);
  if (op(writer).kind != OpKind::kReshape && !works_along_rows(edit_, op(writer)) && !is_pointwise(op(writer).kind))
    return {};
  const std::vector<TensorId>& inputs = op(writer).inputs;
  return rows_as_written(inputs[is_pointwise(op(writer).kind) && shape(inputs[0]) != shape(tensor) ? 1 : 0]);
}

// Whether all that others apply to the result, element by element, can be seen so; as what the product applies itself,
// so that the view does not depend on which of the two does.
bool ProductViews::shows_readers(std::size_t i, const Shape& view) {
  const Shape from = shape(op(i).output);
  const auto shows = [&](TensorId operand) {
    return edit_.scalar(operand) || renamed_operand(shape(operand), from, view);
  };
  TensorId result = op(i).output;
  for (int reader = edit_.only_reader(result);
       reader >= 0 && is_pointwise(op(reader).kind) && shape(op(reader).output) == from;
       reader = edit_.only_reader(result)) {
    for (const TensorId operand : op(reader).inputs)
      if (operand != result && !shows(operand)) return false;
    result = op(reader).output;
  }
  return true;
}

// Matrices of A that share one of B become rows of one product or, where what is applied to the result cannot be seen
// so, batches of their own; as the product before has them, if it can be. The other batches become one dimension,
// where that can be.
bool ProductViews::share(std::size_t i) {
  const Shape a = shape(op(i).inputs[0]), b = shape(op(i).inputs[1]);
  const auto repeated = repeated_operand(edit_, i);
  const bool weights = edit_.tensor(op(i).inputs[1]).kind == TensorKind::kConstant;
  if (!repeated || weights || leading(a, 3) != leading(b, 3)) return false;
  make_once(edit_, *repeated);
  Shape apart = leading(shape(op(i).inputs[1]), 2);
  if (apart.back() == 1) apart.pop_back();
  Shape together{element_count(apart)};
  if (together.front() == 1) together.clear();
  std::vector<View> views;
  for (const bool as_rows : {true, false})
    for (const Shape& batches : {together, apart}) views.push_back(shared_view(i, repeated->times, batches, as_rows));
  const Shape written = rows_as_written(op(i).inputs[0]);
  std::stable_partition(views.begin(), views.end(), [&](const View& view) { return leading(view.a, 1) == written; });
  const bool seen =
      std::ranges::any_of(views, [&](const View& view) { return shows_readers(i, view.c) && view_as(i, view); });
  SIM_CHECK(seen, "'{}' cannot be seen in more dimensions", op(i).name);
  return true;
}

// The tensor in another shape; known values stay known.
TensorId ProductViews::viewed(TensorId tensor, const Shape& to) {
  const Tensor& before = edit_.tensor(tensor);
  if (before.kind != TensorKind::kConstant || !before.data) return edit_.add_reshape(tensor, to);
  const Tensor same = before;
  const TensorId view = edit_.add_like(tensor, same.name + ".view", to);
  edit_.tensor(view).kind = TensorKind::kConstant;
  edit_.tensor(view).data = same.data;
  return view;
}

// False, and nothing done, where an epilogue's operand cannot be seen through the new shape of the result.
bool ProductViews::view_operands_as(std::size_t i, const Shape& c) {
  std::vector<std::optional<Shape>> views;
  for (const Epilogue& epilogue : op(i).epilogues) {
    const bool elements = epilogue.operand && shape(*epilogue.operand).size() > 1 && !edit_.scalar(*epilogue.operand);
    views.push_back(elements ? renamed_operand(shape(*epilogue.operand), shape(op(i).output), c) : Shape{});
    if (!views.back()) return false;
  }
  for (std::size_t e = 0; e < views.size(); ++e) {
    if (views[e]->empty() || *views[e] == shape(*op(i).epilogues[e].operand)) continue;
    const TensorId view = viewed(*op(i).epilogues[e].operand, *views[e]);
    op(i).epilogues[e].operand = view;
  }
  return true;
}

// False, and nothing done, where epilogues cannot.
bool ProductViews::view_as(std::size_t i, const View& view) {
  if (!view_operands_as(i, view.c)) return false;
  const TensorId inputs[2] = {op(i).inputs[0], op(i).inputs[1]}, output = op(i).output;
  for (const std::size_t operand : {0, 1}) {
    const Shape& seen = operand == 0 ? view.a : view.b;
    if (shape(inputs[operand]) == seen) continue;
    const TensorId renamed = edit_.add_reshape(inputs[operand], seen);
    op(i).inputs[operand] = renamed;
  }
  const TensorId flat = edit_.add_like(output, edit_.tensor(output).name + ".flat", view.c);
  op(i).output = flat;
  edit_.add_operator({.name = edit_.tensor(flat).name, .kind = OpKind::kReshape, .inputs = {flat}, .output = output});
  return true;
}

}  // namespace tilewright
