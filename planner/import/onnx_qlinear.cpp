// Operators on quantised tensors. QLinear ones are what their definition says: DequantizeLinear, the operator,
// QuantizeLinear; those with Integer in their name leave the sums in int32.
#include <fmt/format.h>

#include "planner/import/onnx_convert.h"
#include "planner/import/onnx_int8.h"

namespace tilewright {
namespace {

// Nodes in the place of one, which see its attributes.
class Expansion {
 public:
  Expansion(OnnxBuilder& b, const OnnxNode& node) : b_(b), node_(node) {}

  std::string input(int index) const { return node_.has_input(index) ? node_.proto.input(index) : std::string(); }

  // Converts a node that writes `output`, one of the node's name where that is empty; its name.
  std::string add(const char* type, const std::vector<std::string>& inputs, std::string output = {},
                  std::int64_t axis = -1) {
    onnx::NodeProto proto;
    proto.set_op_type(type);
    if (std::string(type) == "Conv") *proto.mutable_attribute() = node_.proto.attribute();
    for (const std::string& name : inputs) proto.add_input(name);
    if (output.empty()) output = fmt::format("{}/{}", node_.name, type) + std::to_string(++count_);
    proto.add_output(output);
    if (axis >= 0) {
      onnx::AttributeProto& attribute = *proto.add_attribute();
      attribute.set_name("axis");
      attribute.set_type(onnx::AttributeProto::INT);
      attribute.set_i(axis);
    }
    find_onnx_conversion(proto)->convert(b_, {proto, node_.name, node_.opset});
    return output;
  }

  std::string dequantised(int first, std::int64_t axis = -1) {
    return add("DequantizeLinear", {input(first), input(first + 1), input(first + 2)}, {}, axis);
  }

  std::string name_of(TensorId id) const { return b_.graph.tensor(id).name; }

 private:
  OnnxBuilder& b_;
  const OnnxNode& node_;
  int count_ = 0;
};

void qlinear_conv(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  Expansion nodes(b, node);
  std::vector<std::string> inputs{nodes.dequantised(0), nodes.dequantised(3, 0)};
  if (node.has_input(8)) {
    const std::string scale = nodes.name_of(s.mul(s.reshape(b.input(node, 1), {}), b.input(node, 4)));
    inputs.push_back(nodes.add("DequantizeLinear", {nodes.input(8), scale}, {}, 0));
  }
  const std::string sums = nodes.add("Conv", inputs);
  nodes.add("QuantizeLinear", {sums, nodes.input(6), nodes.input(7)}, OnnxBuilder::output_name(node, 0));
}

void qlinear_matmul(OnnxBuilder& b, const OnnxNode& node) {
  Expansion nodes(b, node);
  const auto last = [&](int index) { return static_cast<std::int64_t>(b.rank(node, index)) - 1; };
  const std::string x = nodes.dequantised(0, std::max<std::int64_t>(0, last(0) - 1));
  const std::string sums = nodes.add("MatMul", {x, nodes.dequantised(3, last(3))});
  nodes.add("QuantizeLinear", {sums, nodes.input(6), nodes.input(7)}, OnnxBuilder::output_name(node, 0));
}

// Operators on levels take nothing else: of other types their definition says nothing.
void expect_levels(const OnnxBuilder& b, const OnnxNode& node, OnnxSteps& s) {
  for (const int index : {0, 1}) {
    const ValueType type = s.element(b.input(node, index)).value_type;
    if (type != ValueType::kInt8 && type != ValueType::kUint8)
      node.fail(fmt::format("input {} holds {}, expected int8 or uint8", index, name_of(type)));
  }
}

// Input `index` as int32 of the int8 form of input `of`.
TensorId zero_point(OnnxBuilder& b, const OnnxNode& node, OnnxSteps& s, int of, int index) {
  const ValueType type = s.element(b.input(node, of)).value_type;
  const OnnxElement element = index_element(ValueType::kInt32);
  if (!node.has_input(index)) return s.constant({}, {int8_zero_point(type, 0)}, element);
  const TensorId zero = s.cast(b.input(node, index), element),
                 lowered = type == ValueType::kUint8 ? s.sub(zero, 128.0) : zero;
  const std::int64_t count = element_count(s.shape(lowered));
  if (count == 1) return s.reshape(lowered, {});
  return of == 0 ? s.reshape(lowered, {count, 1}) : s.reshape(lowered, {count});
}

void matmul_integer(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  expect_levels(b, node, s);
  if (b.rank(node, 0) < 2 || b.rank(node, 1) < 2) node.fail("operands of one dimension are not supported");
  IntegerProduct product{.kind = OpKind::kMatMul};
  product.x = as_int8(b, node, b.input(node, 0));
  product.w = as_int8(b, node, b.input(node, 1));
  product.zero_x = zero_point(b, node, s, 0, 2);
  product.zero_w = zero_point(b, node, s, 1, 3);
  s.finish(*integer_product(b, node, std::move(product)));
}

void conv_integer(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  expect_levels(b, node, s);
  Expansion nodes(b, node);
  const std::string one = nodes.name_of(s.constant({}, {1}, scale_element()));
  const std::string x = nodes.add("DequantizeLinear", {nodes.input(0), one, nodes.input(2)});
  const std::string w = nodes.add("DequantizeLinear", {nodes.input(1), one, nodes.input(3)}, {}, 0);
  const auto sums = integer_sums(b, node, *b.graph.find_tensor(nodes.add("Conv", {x, w})));
  if (!sums)
    node.fail(
        "zero points that are computed, those of weights of groups and of one or three dimensions are "
        "not supported");
  s.finish(*sums);
}

constexpr OnnxConversion kOnQuantised[] = {{"QLinearConv", qlinear_conv},
                                           {"QLinearMatMul", qlinear_matmul},
                                           {"MatMulInteger", matmul_integer},
                                           {"ConvInteger", conv_integer}};

}  // namespace

std::span<const OnnxConversion> onnx_qlinear_operators() { return kOnQuantised; }

}  // namespace tilewright
