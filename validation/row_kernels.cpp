#include "validation/row_kernels.h"

#include "validation/graph_maker.h"

namespace tilewright {

Graph array_scaling(const Shape& shape) {
  GraphMaker make("scale");
  const TensorId x = make.input("x", shape);
  return make.finish(make.add("kernel", OpKind::kMul, {x, make.scalar("factor", 1.5)}));
}

Graph row_reduction(OpKind kind, std::int64_t rows, std::int64_t width) {
  GraphMaker make("reduction");
  return make.finish(make.reduce_rows("kernel", kind, make.input("x", {rows, width})));
}

Graph row_scaling(std::int64_t rows, std::int64_t width) {
  GraphMaker make("scaling");
  const TensorId x = make.input("x", {rows, width});
  return make.finish(make.add("kernel", OpKind::kDiv, {x, make.input("by", {rows, 1})}));
}

std::vector<Graph> norm_kernels(std::int64_t rows, std::int64_t width, int reductions) {
  std::vector<Graph> kernels;
  for (int i = 0; i < reductions; ++i) kernels.push_back(row_reduction(OpKind::kReduceMean, rows, width));
  for (int i = 0; i < reductions; ++i) {
    GraphMaker make("statistic");
    kernels.push_back(make.finish(make.add("kernel", OpKind::kSqrt, {make.input("x", {rows})})));
  }
  kernels.push_back(row_scaling(rows, width));
  return kernels;
}

}  // namespace tilewright
