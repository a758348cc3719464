#include "planner/graph/operator_shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sim/base/error.h"
#include "sim/base/number_text.h"
#include "sim/base/text_list.h"

namespace tilewright {
namespace {

using Kind = OperatorShape::Kind;

enum ConvDim : std::size_t { kImages, kHeight, kWidth, kChannels, kFilters, kKernelHeight, kKernelWidth, kStride };

std::string_view word_of(Kind kind) { return kind == Kind::kConv ? "conv" : "matmul"; }

std::int64_t parse_number(std::string_view text, const std::string& where) {
  if (const auto value = number_of<std::int64_t>(text)) return *value;
  throw UserError(where, fmt::format("got '{}', expected a whole number", text));
}

std::int64_t usual_pad(const OperatorShape& shape, std::size_t axis) {
  return (shape.dims[kKernelHeight + axis] - 1) / 2 * shape.dilations[axis];
}

std::array<std::int64_t, 4> usual_pads(const OperatorShape& shape) {
  return {usual_pad(shape, 0), usual_pad(shape, 1), usual_pad(shape, 0), usual_pad(shape, 1)};
}

// "1" for values that are all the same, else "1_1_0_0".
template <std::size_t count>
std::string sides_text(const std::array<std::int64_t, count>& sides) {
  if (std::ranges::count(sides, sides[0]) == count) return std::to_string(sides[0]);
  return fmt::format("{}", fmt::join(sides, "_"));
}

template <std::size_t count>
std::array<std::int64_t, count> parse_sides(std::string_view text, const std::string& where) {
  const auto pieces = pieces_of(text, '_');
  if (pieces.size() != 1 && pieces.size() != count)
    throw UserError(where, fmt::format("got '{}', expected one number or {}", text, count));
  std::array<std::int64_t, count> sides{};
  for (std::size_t i = 0; i < count; ++i) sides[i] = parse_number(pieces[i % pieces.size()], where);
  return sides;
}

bool parse_conv_word(OperatorShape& shape, std::string_view word, const std::string& where) {
  const std::size_t value = word.find('=') + 1;
  const std::string_view name = word.substr(0, value), text = word.substr(value);
  if (name == "pad=")
    shape.pads = parse_sides<4>(text, where);
  else if (name == "stride_w=")
    shape.column_stride = parse_number(text, where);
  else if (name == "dilation=")
    shape.dilations = parse_sides<2>(text, where);
  else if (name == "groups=")
    shape.groups = parse_number(text, where);
  else if (word == "factors")
    shape.channel_factors = true;
  else
    return false;
  return true;
}

bool parse_matmul_word(OperatorShape& shape, std::string_view word) {
  if (word == "ta")
    shape.transpose_a = true;
  else if (word == "tb")
    shape.transpose_b = true;
  else if (word == "dynamic")
    shape.b_constant = false;
  else
    return false;
  return true;
}

void parse_word(OperatorShape& shape, std::string_view word, const std::string& where) {
  const bool matmul = shape.kind == Kind::kMatMul;
  if (matmul ? parse_matmul_word(shape, word) : parse_conv_word(shape, word, where)) return;
  if (word.starts_with('+')) {
    shape.epilogues.push_back(parse_shape_epilogue(word, where));
    return;
  }
  throw UserError(where, fmt::format("got '{}', expected {}|+EPILOGUE", word,
                                     matmul ? "ta|tb|dynamic" : "pad=N|stride_w=N|dilation=N|groups=N|factors"));
}

TensorId add_tensor(Graph& graph, const char* name, Shape shape, bool constant, DataType type) {
  const TensorKind kind = constant ? TensorKind::kConstant : TensorKind::kInput;
  return graph.add_tensor({.name = name, .shape = std::move(shape), .type = type, .kind = kind});
}

Shape with_batch(std::int64_t batch, Shape matrix) {
  if (batch > 1) matrix.insert(matrix.begin(), batch);
  return matrix;
}

Operator matmul_operator(Graph& graph, const OperatorShape& shape) {
  const std::int64_t batch = shape.dims[0], m = shape.dims[1], n = shape.dims[2], k = shape.dims[3];
  const Shape a = shape.transpose_a ? Shape{k, m} : Shape{m, k}, b = shape.transpose_b ? Shape{n, k} : Shape{k, n};
  Operator op{.name = "matmul", .kind = OpKind::kMatMul};
  op.inputs = {add_tensor(graph, "a", with_batch(batch, a), false, shape.type),
               add_tensor(graph, "b", with_batch(batch, b), shape.b_constant, shape.type)};
  op.attributes.transpose_a = shape.transpose_a;
  op.attributes.transpose_b = shape.transpose_b;
  return op;
}

Operator conv_operator(Graph& graph, const OperatorShape& shape) {
  const auto& d = shape.dims;
  Operator op{.name = "conv", .kind = OpKind::kConv};
  op.inputs = {add_tensor(graph, "x", {d[kImages], d[kChannels], d[kHeight], d[kWidth]}, false, shape.type),
               add_tensor(graph, "w", {d[kFilters], d[kChannels] / shape.groups, d[kKernelHeight], d[kKernelWidth]},
                          true, shape.type)};
  const auto& [rows, columns] = window_of(shape).axes;
  op.attributes.strides = {rows.stride, columns.stride};
  op.attributes.dilations = {rows.dilation, columns.dilation};
  op.attributes.pads = {rows.pad_begin, columns.pad_begin, rows.pad_end, columns.pad_end};
  op.attributes.groups = shape.groups;
  op.attributes.channel_factors = shape.channel_factors;
  if (shape.channel_factors)
    op.inputs.push_back(add_tensor(graph, "factors", {1, d[kChannels], 1, 1}, false, shape.type));
  return op;
}

OperatorShape matmul_shape(const Graph& graph, const Operator& op) {
  const Shape &a = graph.tensor(op.inputs[0]).shape, &out = graph.tensor(op.output).shape;
  const Attributes& attributes = op.attributes;
  const std::size_t rank = out.size();
  OperatorShape shape{.kind = Kind::kMatMul};
  shape.transpose_a = attributes.transpose_a;
  shape.transpose_b = attributes.transpose_b;
  shape.b_constant = is_constant(graph, op.inputs[1]);
  std::int64_t batch = 1;
  for (std::size_t i = 0; i + 2 < rank; ++i) batch *= out[i];
  shape.dims = {batch, out[rank - 2], out[rank - 1], a[a.size() - (attributes.transpose_a ? 2 : 1)]};
  // A batch that one matrix of weights serves is one product of more rows.
  if (shape.b_constant && graph.tensor(op.inputs[1]).shape.size() == 2 && !shape.transpose_a) {
    shape.dims[1] *= batch;
    shape.dims[0] = 1;
  }
  return shape;
}

OperatorShape convolution_shape(const Graph& graph, const Operator& op) {
  const auto& [rows, columns] = window_of(graph, op).axes;
  const Shape &x = graph.tensor(op.inputs[0]).shape, &w = graph.tensor(op.inputs[1]).shape;
  OperatorShape shape{.kind = Kind::kConv};
  shape.dims = {x[0], x[2], x[3], x[1], w[0], rows.size, columns.size, rows.stride};
  if (columns.stride != rows.stride) shape.column_stride = columns.stride;
  shape.dilations = {rows.dilation, columns.dilation};
  shape.groups = op.attributes.groups;
  shape.channel_factors = op.attributes.channel_factors;
  const std::array pads{rows.pad_begin, columns.pad_begin, rows.pad_end, columns.pad_end};
  if (pads != usual_pads(shape)) shape.pads = pads;
  return shape;
}

constexpr std::int64_t kMostExtent = std::int64_t{1} << 31;

bool between(std::int64_t least, std::int64_t value) { return value >= least && value <= kMostExtent; }

void check_window(const OperatorShape& shape, const std::string& where) {
  const bool dilations = std::ranges::all_of(shape.dilations, [](std::int64_t value) { return between(1, value); });
  const auto pads = shape.pads.value_or(std::array<std::int64_t, 4>{});
  const bool padded = std::ranges::all_of(pads, [](std::int64_t pad) { return between(0, pad); });
  if (!dilations || !padded || !between(1, shape.column_stride.value_or(1)))
    throw UserError(where, "a stride or dilation is 1 to 2^31 and a pad 0 to 2^31");
  const Window window = window_of(shape);
  for (std::size_t i = 0; i < 2; ++i) {
    const Window::Axis& axis = window.axes[i];
    const std::int64_t length = shape.dims[kHeight + i];
    if (placements(axis, length, false) < 1)
      throw UserError(where, fmt::format("a kernel of {} does not fit an input of {}, padding included", axis.size,
                                         length + axis.pad_begin + axis.pad_end));
  }
}

}  // namespace

const std::vector<std::string_view>& dimension_names(Kind kind) {
  static const std::vector<std::string_view> matmul{"B", "M", "N", "K"};
  static const std::vector<std::string_view> conv{"N", "H", "W", "Ci", "Co", "Kh", "Kw", "S"};
  return kind == Kind::kConv ? conv : matmul;
}

std::string to_string(const OperatorShape& shape) {
  std::string text = fmt::format("{} {} {}", word_of(shape.kind), fmt::join(shape.dims, "_"), name_of(shape.type));
  if (shape.transpose_a) text += " ta";
  if (shape.transpose_b) text += " tb";
  if (!shape.b_constant) text += " dynamic";
  if (shape.pads) text += fmt::format(" pad={}", sides_text(*shape.pads));
  if (shape.column_stride) text += fmt::format(" stride_w={}", *shape.column_stride);
  if (shape.dilations != OperatorShape{}.dilations) text += fmt::format(" dilation={}", sides_text(shape.dilations));
  if (shape.groups != 1) text += fmt::format(" groups={}", shape.groups);
  if (shape.channel_factors) text += " factors";
  return text + to_string(shape.epilogues);
}

OperatorShape parse_operator_shape(std::string_view text, const std::string& where) {
  const auto words = pieces_of(text, ' ');
  if (words.size() < 3 || (words[0] != "matmul" && words[0] != "conv"))
    throw UserError(where, fmt::format("got '{}', expected e.g. 'matmul 1_384_1024_1024 bf16'", text));
  OperatorShape shape{.kind = words[0] == "conv" ? Kind::kConv : Kind::kMatMul};
  for (const std::string_view size : pieces_of(words[1], '_')) shape.dims.push_back(parse_number(size, where));
  const auto type = parse_data_type(words[2]);
  if (!type) throw UserError(where, fmt::format("got '{}', expected an element type", words[2]));
  shape.type = *type;
  for (std::size_t i = 3; i < words.size(); ++i) parse_word(shape, words[i], where);
  check(shape, where);
  return shape;
}

void check(const OperatorShape& shape, const std::string& where) {
  const auto& names = dimension_names(shape.kind);
  if (shape.dims.size() != names.size())
    throw UserError(where, fmt::format("{} sizes for a {}, expected {} ({})", shape.dims.size(), word_of(shape.kind),
                                       names.size(), fmt::join(names, ",")));
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!between(1, shape.dims[i]))
      throw UserError(where, fmt::format("{} is {}, expected 1 to 2^31", names[i], shape.dims[i]));
  if (shape.kind == Kind::kMatMul) return;
  const auto& d = shape.dims;
  if (shape.groups < 1 || d[kChannels] % shape.groups != 0 || d[kFilters] % shape.groups != 0)
    throw UserError(where, fmt::format("{} groups do not divide the {} channels and {} filters", shape.groups,
                                       d[kChannels], d[kFilters]));
  if (shape.channel_factors && shape.groups != 1) throw UserError(where, "a convolution in groups takes no factors");
  check_window(shape, where);
}

Graph graph_of(const OperatorShape& shape) {
  Graph graph;
  graph.name = to_string(shape);
  Operator op = shape.kind == Kind::kConv ? conv_operator(graph, shape) : matmul_operator(graph, shape);
  op.output = graph.add_tensor(
      {.name = "result", .shape = infer_shape(graph, op), .type = shape.type, .kind = TensorKind::kOutput});
  add_epilogues(graph, op, shape.epilogues);
  graph.add_operator(std::move(op));
  return graph;
}

std::optional<OperatorShape> shape_of(const Graph& graph, OperatorId id, DataType type) {
  const Operator& op = graph.op(id);
  std::optional<OperatorShape> shape;
  if (op.kind == OpKind::kMatMul && graph.tensor(op.output).shape.size() >= 2) shape = matmul_shape(graph, op);
  if (op.kind == OpKind::kConv) shape = convolution_shape(graph, op);
  if (!shape) return {};
  shape->type = type;
  shape->epilogues = epilogues_of(graph, op).value_or(std::vector<ShapeEpilogue>{});
  return shape;
}

Window window_of(const OperatorShape& shape) {
  const auto pads = shape.pads.value_or(usual_pads(shape));
  const std::array strides{shape.dims[kStride], shape.column_stride.value_or(shape.dims[kStride])};
  Window window;
  for (std::size_t axis = 0; axis < 2; ++axis)
    window.axes[axis] = {.size = shape.dims[kKernelHeight + axis],
                         .stride = strides[axis],
                         .dilation = shape.dilations[axis],
                         .pad_begin = pads[axis],
                         .pad_end = pads[axis + 2]};
  return window;
}

OperatorShape without_epilogues(OperatorShape shape) {
  shape.epilogues.clear();
  return shape;
}

std::int64_t macs_of(const OperatorShape& shape) {
  const auto& d = shape.dims;
  if (shape.kind == Kind::kMatMul) return d[0] * d[1] * d[2] * d[3];
  const auto& [rows, columns] = window_of(shape).axes;
  const std::int64_t positions = placements(rows, d[kHeight], false) * placements(columns, d[kWidth], false);
  return d[kImages] * positions * d[kFilters] * (d[kChannels] / shape.groups) * d[kKernelHeight] * d[kKernelWidth];
}

}  // namespace tilewright
