#include "planner/import/onnx_int8_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/import/onnx_int8.h"

namespace tilewright {
namespace {

// Activations of unit variance use a quarter of int8, and the 6 of a Relu6 lies inside of it.
constexpr QuantLevel kActivation{1.0 / 16, 0};
// Deviation of levels drawn evenly from -127 to 127.
constexpr double kDeviation = 73.3;

constexpr std::string_view kForms[] = {"Conv",          "MatMul",
                                       "Gemm",          "Add",
                                       "Sub",           "Mul",
                                       "Max",           "Min",
                                       "Relu",          "Clip",
                                       "MaxPool",       "ReduceMax",
                                       "Reshape",       "Flatten",
                                       "Squeeze",       "Unsqueeze",
                                       "Transpose",     "Concat",
                                       "Slice",         "Split",
                                       "Identity",      "Dropout",
                                       "ReduceMean",    "AveragePool",
                                       "GlobalMaxPool", "GlobalAveragePool"};

constexpr const char* kRefused = "cannot be computed in int8; plan the network in fp16 or bf16";

bool is_product(const OnnxNode& node) {
  const std::string& type = node.proto.op_type();
  return type == "Conv" || type == "MatMul" || type == "Gemm";
}

const OnnxLevels& levels_of(const OnnxBuilder& b, const OnnxNode& node, TensorId id) {
  const auto found = b.levels.find(id);
  if (found == b.levels.end()) node.fail(kRefused);
  return found->second;
}

// The node's output, of what `floats` would be; sums stay int32 where they are the network's.
void finish_levels(OnnxBuilder& b, const OnnxNode& node, TensorId floats, int output) {
  OnnxSteps s(b, node);
  const bool last = b.output_names.contains(OnnxBuilder::output_name(node, output));
  const auto values =
      last && is_product(node) ? integer_sums(b, node, floats) : integer_form(b, node, floats, kActivation);
  if (!values) node.fail(kRefused);
  if (last) return s.finish(*values, output);
  const TensorId scale = s.constant({}, {kActivation.scale}, scale_element());
  const TensorId id =
      b.emit(node, {.kind = OpKind::kDequantize, .inputs = {*values, scale}}, output, {.element = float_element()});
  b.levels[id] = {*values, {kActivation.scale}, {0}};
  b.floats_of[id] = floats;
}

class Int8Node {
 public:
  Int8Node(OnnxBuilder& b, const OnnxNode& node) : b_(b), node_(node), s_(b, node) {}

  void run(const OnnxConversion& conversion) {
    for (int i = 0; i < node_.proto.input_size(); ++i)
      if (is_float(i)) give_levels(i);
    onnx::NodeProto proto = node_.proto;
    for (std::string& name : *proto.mutable_output())
      if (!name.empty()) name += "/float";
    conversion.convert(b_, {proto, node_.name, node_.opset});
    for (int i = 0; i < node_.proto.output_size(); ++i)
      if (OnnxBuilder::has_output(node_, i)) finish_levels(b_, node_, *b_.graph.find_tensor(proto.output(i)), i);
  }

 private:
  bool is_float(int input) const { return b_.has(node_, input) && !b_.graph.tensor(b_.input(node_, input)).is_index; }

  void give_levels(int input) {
    const TensorId id = b_.input(node_, input);
    Tensor& tensor = b_.graph.tensor(id);
    if (b_.levels.contains(id)) return;
    if (tensor.kind == TensorKind::kInput) {
      tensor.fixed_type = DataType::kInt8;
      if (tensor.data)
        for (double& value : *tensor.data) value = std::clamp(std::nearbyint(value / kActivation.scale), -128.0, 127.0);
      b_.levels[id] = {id, {kActivation.scale}, {0}};
    } else if (tensor.kind == TensorKind::kConstant) {
      b_.levels[id] = is_product(node_) && input == 2 ? bias(tensor) : constant(tensor, input);
    }
  }

  // Known values to the nearest of 255 levels; else the levels are made up.
  OnnxLevels constant(const Tensor& tensor, int input) {
    double scale =
        is_product(node_) && input == 1 ? 1 / (kDeviation * std::sqrt(fan_in(tensor.shape))) : kActivation.scale;
    auto values = tensor.data;
    if (values) {
      double most = 0;
      for (const double value : *values) most = std::max(most, std::abs(value));
      scale = static_cast<float>(most > 0 ? most / 127 : 1);
      for (double& value : *values) value = std::nearbyint(value / scale);
    }
    return {b_.add_constant(node_, tensor.shape, std::move(values), int8_element()), {scale}, {0}};
  }

  double fan_in(const Shape& weights) const {
    if (weights.size() < 2) return 1;
    if (node_.proto.op_type() == "Conv")
      return static_cast<double>(element_count(weights)) / static_cast<double>(weights[0]);
    const bool transposed = node_.proto.op_type() == "Gemm" && node_.integer("transB", 0) != 0;
    return static_cast<double>(transposed ? weights.back() : weights[weights.size() - 2]);
  }

  OnnxLevels bias(const Tensor& tensor) {
    const double scale =
        levels_of(b_, node_, b_.input(node_, 0)).scales[0] * levels_of(b_, node_, b_.input(node_, 1)).scales[0];
    auto values = tensor.data;
    if (values)
      for (double& value : *values) value = std::nearbyint(value / scale);
    return {b_.add_constant(node_, tensor.shape, std::move(values), index_element(ValueType::kInt32)), {scale}, {0}};
  }

  OnnxBuilder& b_;
  const OnnxNode& node_;
  OnnxSteps s_;
};

// BatchNormalization behind a convolution is one with other scales of its weights and another bias, as quantisers
// have it.
class NormalisedProduct {
 public:
  NormalisedProduct(OnnxBuilder& b, const OnnxNode& node) : b_(b), node_(node), s_(b, node) {}

  void run() {
    const auto floats = b_.floats_of.find(b_.input(node_, 0));
    const auto producer = floats == b_.floats_of.end() ? std::nullopt : b_.graph.tensor(floats->second).producer;
    if (!producer || b_.graph.op(*producer).kind != OpKind::kConv) node_.fail(kRefused);
    Operator conv = b_.graph.op(*producer);
    OnnxLevels weights = levels_of(b_, node_, conv.inputs[1]);
    const double scale_x = levels_of(b_, node_, conv.inputs[0]).scales[0];
    const auto channels = static_cast<std::size_t>(s_.shape(conv.inputs[1])[0]);
    if (weights.scales.size() == 1) weights.scales.resize(channels, weights.scales[0]);
    auto shifts = scaled(conv, weights.scales);
    OnnxLevels bias{.zero_points = {0}};
    for (std::size_t c = 0; c < channels; ++c) {
      bias.scales.push_back(scale_x * weights.scales[c]);
      if (shifts) (*shifts)[c] = std::nearbyint((*shifts)[c] / bias.scales[c]);
    }
    const Shape vector{static_cast<std::int64_t>(channels)};
    bias.values = b_.add_constant(node_, vector, std::move(shifts), index_element(ValueType::kInt32));
    conv.inputs = {conv.inputs[0], stand_in(s_.shape(conv.inputs[1]), std::move(weights)),
                   stand_in(vector, std::move(bias))};
    finish_levels(b_, node_, s_.op(OpKind::kConv, conv.inputs, conv.attributes), 0);
  }

 private:
  // A tensor of floats of which only the levels count.
  TensorId stand_in(const Shape& shape, OnnxLevels levels) {
    const TensorId id = b_.add_constant(node_, shape, std::nullopt, float_element());
    b_.levels[id] = std::move(levels);
    return id;
  }

  // Scales the weights' and returns the bias, where all is known; the scale of made-up parameters is 1.
  std::optional<std::vector<double>> scaled(const Operator& conv, std::vector<double>& scales) const {
    std::vector<std::vector<double>> given;
    for (int i = 1; i < 5; ++i) {
      const auto values = b_.known(b_.input(node_, i));
      if (!values) return std::nullopt;
      if (values->size() != scales.size()) node_.fail(fmt::format("input {} has {} values", i, values->size()));
      given.push_back(*values);
    }
    const auto before =
        conv.inputs.size() > 2 ? b_.graph.tensor(conv.inputs[2]).data : std::vector<double>(scales.size());
    const double epsilon = node_.number("epsilon", 1e-5);
    std::vector<double> shifts;
    for (std::size_t c = 0; c < scales.size(); ++c) {
      const double factor = given[0][c] / std::sqrt(given[3][c] + epsilon);
      if (!before || before->size() != scales.size() || !(factor > 0)) node_.fail(kRefused);
      scales[c] *= factor;
      shifts.push_back(given[1][c] + ((*before)[c] - given[2][c]) * factor);
    }
    return shifts;
  }

  OnnxBuilder& b_;
  const OnnxNode& node_;
  OnnxSteps s_;
};

}  // namespace

bool is_quantised(const std::vector<OnnxNode>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [](const OnnxNode& node) {
    const std::string& type = node.proto.op_type();
    return type.find("Quantize") != std::string::npos || type.starts_with("QLinear") || type.ends_with("Integer");
  });
}

void convert_to_int8(OnnxBuilder& builder, const OnnxNode& node, const OnnxConversion& conversion) {
  const bool listed = std::find(std::begin(kForms), std::end(kForms), node.proto.op_type()) != std::end(kForms);
  const auto is_live = [&](int input) {
    if (!builder.has(node, input)) return false;
    const Tensor& tensor = builder.graph.tensor(builder.input(node, input));
    return !tensor.is_index && tensor.kind != TensorKind::kConstant;
  };
  bool live = false;
  for (int i = 0; i < node.proto.input_size(); ++i) live |= is_live(i);
  if (!live) return conversion.convert(builder, node);
  if (node.proto.op_type() == "BatchNormalization") return NormalisedProduct(builder, node).run();
  if (!listed) node.fail(kRefused);
  Int8Node(builder, node).run(conversion);
}

}  // namespace tilewright
