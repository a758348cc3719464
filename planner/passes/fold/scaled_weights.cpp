#include "planner/passes/fold/scaled_weights.h"

#include "planner/ir/epilogue.h"

namespace tilewright {
namespace {

bool is_plain(const Tensor& tensor) { return !tensor.is_index && !tensor.fixed_type; }

// Which input of `product` is the factor; -1: neither.
int factor_of(GraphEdit& edit, const Operator& product) {
  for (const int factor : {0, 1}) {
    const TensorId s = product.inputs[factor], x = product.inputs[1 - factor];
    const bool later = edit.writer(s) > edit.writer(x);
    if (later && edit.tensor(x).shape == edit.tensor(product.output).shape &&
        per_channel(edit.tensor(s).shape, edit.tensor(x).shape, OpKind::kConv) && is_plain(edit.tensor(s)))
      return factor;
  }
  return -1;
}

}  // namespace

void scale_weights(GraphEdit& edit, std::size_t conv) {
  Operator& op = edit.operators()[conv];
  const TensorId input = op.inputs[0], weights = op.inputs[1];
  const int writer = edit.writer(input);
  if (op.attributes.groups != 1 || op.attributes.pad_value != 0 || writer < 0 ||
      edit.only_reader(input) != static_cast<int>(conv))
    return;
  Operator& product = edit.operators()[writer];
  if (product.kind != OpKind::kMul || !is_plain(edit.tensor(weights))) return;
  if (element_count(edit.tensor(weights).shape) >= element_count(edit.tensor(input).shape)) return;
  const int factor = factor_of(edit, product);
  if (factor < 0) return;
  const TensorId x = product.inputs[1 - factor];
  product.inputs = {weights, product.inputs[factor]};
  product.output = edit.add_like(weights, edit.tensor(weights).name + ".scaled", edit.tensor(weights).shape);
  op.inputs[0] = x;
  op.inputs[1] = product.output;
}

}  // namespace tilewright
