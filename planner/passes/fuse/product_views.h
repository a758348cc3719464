// The dimensions that products of matrices have: operands and result are seen as two or three, so that batches are one
// dimension or rows of one product, through renamings of what is read and written.
#pragma once

#include "planner/graph/graph_edit.h"

namespace tilewright {

// How many matrices the last two dimensions of a shape are.
std::int64_t matrices(const Shape& shape);

// Whether it is a softmax or a reduction along each row: it does not mind how the rows are counted.
bool works_along_rows(const GraphEdit& edit, const Operator& op);

class ProductViews {
 public:
  explicit ProductViews(GraphEdit& edit) : edit_(edit) {}

  // Of product `i`: batches of one B become rows of one product; equal batches become one dimension. Where it `shares`,
  // what is repeated for some of them is read as it was before (shared_operands.h).
  void flatten(std::size_t i, bool shares);

 private:
  // Shapes of a product's operands and result, of the same elements.
  struct View {
    Shape a, b, c;
  };

  // Operators are added while others are looked at, so they are always named by index.
  Operator& op(std::size_t i) { return edit_.operators()[i]; }
  const Shape& shape(TensorId id) const { return edit_.tensor(id).shape; }
  Shape rows_as_written(TensorId tensor);
  View shared_view(std::size_t i, std::int64_t times, const Shape& batches, bool as_rows);
  bool shows_readers(std::size_t i, const Shape& view);
  bool share(std::size_t i);
  TensorId viewed(TensorId tensor, const Shape& to);
  bool view_operands_as(std::size_t i, const Shape& c);
  bool view_as(std::size_t i, const View& view);

  GraphEdit& edit_;
};

}  // namespace tilewright
