#include "cli/shape_options.h"

#include "cli/workload_options.h"
#include "sim/base/error.h"

namespace tilewright {

void add_shape_options(CLI::App& command, ShapeOptions& options) {
  CLI::Option* conv =
      command.add_option("--conv", options.conv, "a convolution: CHANNELS,HEIGHT,WIDTH,FILTERS,KERNEL_H,KERNEL_W")
          ->delimiter(',')
          ->expected(6)
          ->check(at_least(1));
  command.add_option("--m", options.m, "rows of A and of the result")->check(at_least(1))->excludes(conv);
  command.add_option("--n", options.n, "columns of B and of the result")->check(at_least(1))->excludes(conv);
  command.add_option("--k", options.k, "columns of A, rows of B")->check(at_least(1))->excludes(conv);
  add_type_option(command, "--dtype,--type", options.type);
  command.add_option("--stride", options.stride, "of the convolution")->check(at_least(1))->needs(conv);
  command.add_option("--pad", options.pad, "of the convolution, on every side")->check(at_least(0))->needs(conv);
  command.add_option("--dilation", options.dilation, "of the convolution")->check(at_least(1))->needs(conv);
  command.add_option("--groups", options.groups, "of the convolution")->check(at_least(1))->needs(conv);
  command.add_option("--batch", options.batch, "images of the convolution")->check(at_least(1))->needs(conv);
}

OperatorShape shape_of(const ShapeOptions& c, const std::string& where) {
  OperatorShape shape{.type = matmul_type(c.type)};
  if (c.conv.empty()) {
    if (c.m == 0 || c.n == 0 || c.k == 0) throw UserError(where, "needs either all of --m, --n and --k, or --conv");
    shape.dims = {c.batch, c.m, c.n, c.k};
    return shape;
  }
  shape.kind = OperatorShape::Kind::kConv;
  shape.dims = {c.batch, c.conv[1], c.conv[2], c.conv[0], c.conv[3], c.conv[4], c.conv[5], c.stride};
  shape.pad = c.pad;
  shape.dilation = c.dilation;
  shape.groups = c.groups;
  check(shape, "--conv");
  return shape;
}

}  // namespace tilewright
