// Between types: Cast, remainders.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/import/onnx_steps.h"

namespace tilewright {
namespace {

// Known values are converted here, exactly as the type has it. Live integers keep their int32: a narrower type, which
// would wrap, is refused.
void cast_to(OnnxBuilder& b, const OnnxNode& node, const OnnxElement& to) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  const Tensor& tensor = b.graph.tensor(x);
  if (tensor.kind == TensorKind::kConstant && tensor.data) {
    std::vector<double> values = *tensor.data;
    for (double& value : values) value = converted(to.value_type, value);
    return b.add_known(node, tensor.shape, std::move(values), to);
  }
  const ValueType from = tensor.value_type.value_or(ValueType::kFloat32), type = to.value_type;
  const bool narrow =
      is_whole(type) && type != ValueType::kInt32 && type != ValueType::kInt64 && type != ValueType::kBool;
  if (narrow && from != type && from != ValueType::kBool)
    node.fail(
        fmt::format("from {} to {} while running is not supported: values would wrap", name_of(from), name_of(type)));
  if (type == ValueType::kInt8 || from == type) return s.finish(s.op(OpKind::kCast, {x}, {}, {.element = to}));
  s.finish(s.cast(x, to));
}

void cast(OnnxBuilder& b, const OnnxNode& node) {
  cast_to(b, node, onnx_element(fmt::format("node '{}'", node.name), static_cast<int>(node.integer("to", 0))));
}

void cast_like(OnnxBuilder& b, const OnnxNode& node) { cast_to(b, node, element_of(b.graph.tensor(b.input(node, 1)))); }

// Of integers, exact; the sign is the divisor's, with fmod, as always with floats, the dividend's.
void mod(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0), y = b.input(node, 1);
  const bool truncates = node.integer("fmod", 0) != 0;
  if (!s.whole(x) && !truncates) node.fail("is supported for integers of more than 8 bits and, with fmod, for floats");
  if (!s.whole(x)) return s.finish(s.sub(x, s.mul(s.op(OpKind::kTruncate, {s.div(x, y)}), y)));
  const TensorId rest = s.sub(x, s.mul(s.div(x, y), y));
  if (truncates) return s.finish(rest);
  const TensorId zero = s.number(0, x);
  const TensorId differ = s.negation(s.equal(s.less(rest, zero), s.less(y, zero)));
  s.finish(s.add(rest, s.mask(y, s.min(differ, s.negation(s.equal(rest, zero))))));
}

constexpr OnnxConversion kBetweenTypes[] = {{"Cast", cast}, {"CastLike", cast_like}, {"Mod", mod}};

}  // namespace

std::span<const OnnxConversion> onnx_integer_operators() { return kBetweenTypes; }

}  // namespace tilewright
