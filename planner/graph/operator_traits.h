// What the planner knows about each kind of operator. A new kind is an enumerator and a row of the table below; whoever
// treats kinds alike asks the table. What differs inside a family is code with its formula: the reference computation
// (planner/reference), the instructions (planner/ir/pointwise.cpp, planner/passes/lower), a shape rule (shape*.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright {

enum class OpKind : std::uint8_t {
  kMatMul,  // inputs A [..., M, K], B [..., K, N] (transpose_a/_b swap the last two), optional bias; batch broadcast
  kConv,    // inputs X [N, C, H, W], W [O, C/groups, kh, kw], optional bias [O] or factors (channel_factors)
  // A product with weights of `bits` 8 or 4: inputs A [..., M, K], B of int8 [K, N], of 4 bits [(K + 1) / 2, N] with
  // row 2i in the lower half of each byte of row i and row 2i + 1 in the upper one, and scales [K / group_size, N].
  // Weights are (number - zero_point) * scale.
  kMatMulNBits,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kPow,
  kMax,
  kMin,
  kEqual,
  kLess,
  kQuantize,    // inputs X, scale; zero_point: X / scale, rounded (halves to even), + zero_point, saturated to int8
  kDequantize,  // inputs X of int8, scale; zero_point: (X - zero_point) * scale
  kRequantize,  // inputs X of int32, factor; zero_point: X * factor in fp32, rounded, + zero_point, saturated to int8
  kMask,        // the first where the second is not zero, else zero
  kRelu,
  kGelu,
  kGeluTanh,
  kErf,
  kTanh,
  kSigmoid,
  kSilu,  // x * sigmoid(x)
  kSqrt,
  kExp,
  kClip,  // clip_low, clip_high
  kCast,
  kIdentity,
  kNeg,
  kReciprocal,
  kLog,
  kSin,
  kCos,
  kAtan,
  kFloor,
  kTruncate,
  kRound,      // halves to even
  kSoftmax,    // axis
  kLayerNorm,  // inputs X, scale, optional bias; over axis..last, epsilon
  kRmsNorm,    // inputs X, scale; over axis..last, epsilon: X / sqrt(mean of squares + epsilon) * scale
  kBatchNorm,  // inputs X, scale, bias, mean, variance; epsilon
  kMaxPool,
  kAveragePool,  // window, strides, pads, count_include_pad
  kReduceMean,   // axes, keepdims (GlobalAveragePool is imported as this)
  kReduceSum,
  kReduceMax,
  kTranspose,  // permutation
  kReshape,    // every pure renaming of dimensions: Reshape, Flatten, Squeeze, Unsqueeze
  kConcat,     // axis
  kSlice,      // axes, starts, ends, steps (Split is imported as one kSlice per output)
  kGather,     // axis; input 0 data, input 1 indices (is_index)
};
inline constexpr int kOpKindCount = 51;

enum class OperatorFamily : std::uint8_t {
  kContraction,    // multiply-adds on the matmul unit; takes epilogues, may be split along what it sums over
  kUnary,          // each element from the input's element in its place
  kBinary,         // each element from one of each of two inputs, numpy broadcast
  kNormalisation,  // elements along an axis depend on each other
  kBatchNorm,      // a scale and a shift per channel; folded into those before planning
  kPool,           // windows over the two spatial dimensions
  kReduction,      // sums and maxima over axes
  kMovement,       // elements elsewhere, values unchanged
  kAlias,          // the same bytes under another shape: no instruction
};

// How the dimensions of an input of role kData or kPositive relate to those of the output.
enum class AxisMap : std::uint8_t {
  kMatrices,        // [..., M, K] x [..., K, N] -> [..., M, N]
  kPackedMatrices,  // [..., M, K] x [bytes of K, N], [groups of K, N] -> [..., M, N]
  kConvolution,     // [N, C, H, W] x [O, C/groups, kh, kw] -> [N, O, H', W']
  kAligned,         // equal from the last dimension on; an input's dimension of 1 is repeated
  kWindow,          // equal but for H and W, which windows slide over
  kReduced,         // Attributes::axes are reduced over
  kPermuted,        // Attributes::permutation
  kConcatenated,    // inputs one after the other along Attributes::axis
  kSliced,          // ranges of Attributes::axes
  kGathered,        // Attributes::axis gives way to the dimensions of the indices
  kRenamed,         // none corresponds to any
};

enum class InputRole : std::uint8_t {
  kNone,      // there is no such input
  kData,      // activations
  kPositive,  // activations that must be above zero for the result to make sense
  kWeights,   // second operand of a contraction
  kScale,     // one factor per channel or element of a row
  kShift,     // one summand per channel or element of a row
  kIndices,
};

enum OperatorFlag : unsigned {
  kVariadic = 1,      // any number of inputs of the first role
  kCommutative = 2,   // two operands, in any order
  kCopies = 4,        // a unary kind that leaves values as they are, but for their type
  kExactOnInt32 = 8,  // as an epilogue of an int8 contraction, whose results are int32
  kOneAxis = 16,      // a normalisation along Attributes::axis alone; else from there to the last dimension
  kTruth = 32,        // gives 1 or 0, as integers
  kPlannerKind = 64,  // what importers make of other operators; ONNX has none of this name
  kOnFloats = 128,    // of integers it gives what is no integer
};

struct OperatorTraits {
  static constexpr std::size_t kMaxInputs = 5;

  OpKind kind;
  std::string_view name;  // ONNX's, but for kPlannerKind
  OperatorFamily family;
  AxisMap axes;
  std::array<InputRole, kMaxInputs> inputs;
  unsigned flags = 0;  // OperatorFlag

  bool is(OperatorFlag flag) const { return (flags & flag) != 0; }
};

namespace operator_rows {
using enum OpKind;
using enum InputRole;
using F = OperatorFamily;
using A = AxisMap;

// In the order of the enumerators.
inline constexpr std::array<OperatorTraits, kOpKindCount> kTable{{
    {kMatMul, "MatMul", F::kContraction, A::kMatrices, {kData, kWeights, kShift}},
    {kConv, "Conv", F::kContraction, A::kConvolution, {kData, kWeights, kShift}},
    {kMatMulNBits, "MatMulNBits", F::kContraction, A::kPackedMatrices, {kData, kWeights, kScale}, kPlannerKind},
    {kAdd, "Add", F::kBinary, A::kAligned, {kData, kData}, kCommutative | kExactOnInt32},
    {kSub, "Sub", F::kBinary, A::kAligned, {kData, kData}},
    {kMul, "Mul", F::kBinary, A::kAligned, {kData, kData}, kCommutative},
    {kDiv, "Div", F::kBinary, A::kAligned, {kData, kPositive}},
    {kPow, "Pow", F::kBinary, A::kAligned, {kPositive, kPositive}},
    {kMax, "Max", F::kBinary, A::kAligned, {kData, kData}, kCommutative},
    {kMin, "Min", F::kBinary, A::kAligned, {kData, kData}, kCommutative},
    {kEqual, "Equal", F::kBinary, A::kAligned, {kData, kData}, kCommutative | kTruth},
    {kLess, "Less", F::kBinary, A::kAligned, {kData, kData}, kTruth},
    {kQuantize, "Quantize", F::kBinary, A::kAligned, {kData, kPositive}, kPlannerKind},
    {kDequantize, "Dequantize", F::kBinary, A::kAligned, {kData, kPositive}, kPlannerKind},
    {kRequantize, "Requantize", F::kBinary, A::kAligned, {kData, kPositive}, kPlannerKind | kExactOnInt32},
    {kMask, "Mask", F::kBinary, A::kAligned, {kData, kData}, kPlannerKind},
    {kRelu, "Relu", F::kUnary, A::kAligned, {kData}, kExactOnInt32},
    {kGelu, "Gelu", F::kUnary, A::kAligned, {kData}, kOnFloats},
    {kGeluTanh, "GeluTanh", F::kUnary, A::kAligned, {kData}, kPlannerKind | kOnFloats},
    {kErf, "Erf", F::kUnary, A::kAligned, {kData}, kOnFloats},
    {kTanh, "Tanh", F::kUnary, A::kAligned, {kData}, kOnFloats},
    {kSigmoid, "Sigmoid", F::kUnary, A::kAligned, {kData}, kOnFloats},
    {kSilu, "Silu", F::kUnary, A::kAligned, {kData}, kPlannerKind | kOnFloats},
    {kSqrt, "Sqrt", F::kUnary, A::kAligned, {kPositive}, kOnFloats},
    {kExp, "Exp", F::kUnary, A::kAligned, {kData}, kOnFloats},
    {kClip, "Clip", F::kUnary, A::kAligned, {kData}},
    {kCast, "Cast", F::kUnary, A::kAligned, {kData}, kCopies},
    {kIdentity, "Identity", F::kUnary, A::kAligned, {kData}, kCopies},
    {kNeg, "Neg", F::kUnary, A::kAligned, {kData}},
    {kReciprocal, "Reciprocal", F::kUnary, A::kAligned, {kPositive}, kOnFloats},
    {kLog, "Log", F::kUnary, A::kAligned, {kPositive}, kOnFloats},
    {kSin, "Sin", F::kUnary, A::kAligned, {kData}, kOnFloats},
    {kCos, "Cos", F::kUnary, A::kAligned, {kData}, kOnFloats},
    {kAtan, "Atan", F::kUnary, A::kAligned, {kData}, kOnFloats},
    {kFloor, "Floor", F::kUnary, A::kAligned, {kData}},
    {kTruncate, "Truncate", F::kUnary, A::kAligned, {kData}, kPlannerKind},
    {kRound, "Round", F::kUnary, A::kAligned, {kData}},
    {kSoftmax, "Softmax", F::kNormalisation, A::kAligned, {kData}, kOneAxis | kOnFloats},
    {kLayerNorm, "LayerNormalization", F::kNormalisation, A::kAligned, {kData, kScale, kShift}, kOnFloats},
    {kRmsNorm, "RMSNormalization", F::kNormalisation, A::kAligned, {kData, kScale}, kOnFloats},
    {kBatchNorm, "BatchNormalization", F::kBatchNorm, A::kAligned, {kData, kScale, kShift, kShift, kScale}},
    {kMaxPool, "MaxPool", F::kPool, A::kWindow, {kData}},
    {kAveragePool, "AveragePool", F::kPool, A::kWindow, {kData}, kOnFloats},
    {kReduceMean, "ReduceMean", F::kReduction, A::kReduced, {kData}, kOnFloats},
    {kReduceSum, "ReduceSum", F::kReduction, A::kReduced, {kData}},
    {kReduceMax, "ReduceMax", F::kReduction, A::kReduced, {kData}},
    {kTranspose, "Transpose", F::kMovement, A::kPermuted, {kData}},
    {kReshape, "Reshape", F::kAlias, A::kRenamed, {kData}},
    {kConcat, "Concat", F::kMovement, A::kConcatenated, {kData}, kVariadic},
    {kSlice, "Slice", F::kMovement, A::kSliced, {kData}},
    {kGather, "Gather", F::kMovement, A::kGathered, {kData, kIndices}},
}};

constexpr bool every_row_stands_at_its_kind() {
  for (int i = 0; i < kOpKindCount; ++i)
    if (kTable[i].kind != static_cast<OpKind>(i)) return false;
  return true;
}
static_assert(every_row_stands_at_its_kind());
}  // namespace operator_rows

constexpr const std::array<OperatorTraits, kOpKindCount>& all_operator_traits() { return operator_rows::kTable; }
constexpr const OperatorTraits& traits_of(OpKind kind) { return operator_rows::kTable[static_cast<std::size_t>(kind)]; }

std::optional<OpKind> parse_op_kind(std::string_view name);
constexpr std::string_view name_of(OpKind kind) { return traits_of(kind).name; }

constexpr bool is_contraction(OpKind kind) { return traits_of(kind).family == OperatorFamily::kContraction; }
constexpr bool is_alias(OpKind kind) { return traits_of(kind).family == OperatorFamily::kAlias; }
// One or two operands, element by element.
constexpr bool is_pointwise(OpKind kind) {
  return traits_of(kind).family == OperatorFamily::kUnary || traits_of(kind).family == OperatorFamily::kBinary;
}
// Computes each element from one element.
constexpr bool is_activation(OpKind kind) {
  return traits_of(kind).family == OperatorFamily::kUnary && !traits_of(kind).is(kCopies);
}
// Values arrive unchanged, whatever their type.
constexpr bool moves_only(OpKind kind) { return traits_of(kind).family == OperatorFamily::kMovement || is_alias(kind); }
// Windows slide over two spatial dimensions (planner/graph/window.h).
constexpr bool has_windows(OpKind kind) {
  return traits_of(kind).axes == AxisMap::kConvolution || traits_of(kind).axes == AxisMap::kWindow;
}
// The output has the dimensions of every input of data, maybe of other sizes.
constexpr bool keeps_dimensions(OpKind kind) {
  const AxisMap axes = traits_of(kind).axes;
  return axes == AxisMap::kAligned || axes == AxisMap::kConcatenated || axes == AxisMap::kSliced;
}
// Parts of the input may go unread.
constexpr bool picks_elements(OpKind kind) {
  return traits_of(kind).axes == AxisMap::kSliced || traits_of(kind).axes == AxisMap::kGathered;
}

// What the input at `position` is; kNone where the kind takes no such input.
InputRole role_of(OpKind kind, std::size_t position);
bool is_data(InputRole role);
// The most inputs of a kind; all there can be for a variadic one.
std::size_t max_inputs(OpKind kind);
// Dimension of the channels in an output of `rank` dimensions: what an epilogue's operand has one value for each of.
std::size_t channel_dimension(OpKind kind, std::size_t rank);

}  // namespace tilewright
