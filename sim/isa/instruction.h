// The instruction set. A core has four in-order streams (load, store, matmul, vector) that run at the same time; tokens
// order them. Sizes are bytes and strides; nothing here knows a tensor.
//
// Meaning of an instruction: it starts when it heads its stream and all its `waits` hold a token (each then loses one),
// its whole effect on memory becomes visible at one moment, its completion, and it then adds one token to each of its
// `posts`. Completions of one stream are in program order. So two instructions may only touch the same bytes (one of
// them writing) when streams and tokens order them; the verifier proves that.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "sim/base/data_type.h"
#include "sim/base/owners.h"
#include "sim/base/units.h"

namespace tilewright {

enum class Space : std::uint8_t {
  kDram,     // global address
  kCluster,  // directly addressed share of the cluster memory of the core that executes
  kBufferA,
  kBufferB,
  kAccumulator,
};
inline constexpr int kSpaceCount = 5;
std::string_view name_of(Space space);  // "dram" "cluster" "a" "b" "acc"

enum class Unit : std::uint8_t { kLoad, kStore, kMatmul, kVector };
inline constexpr int kUnitCount = 4;
std::string_view name_of(Unit unit);  // "load" "store" "matmul" "vector"

inline constexpr int kBoxDims = 5;
using Extents = std::array<std::int64_t, kBoxDims>;  // outermost first; unused outer dimensions are 1
using Strides = std::array<std::int64_t, kBoxDims>;  // bytes

// Whose memory a place lies in: a core's number (buffers) or a cluster's (cluster memory); kOwnMemory: of the core that
// executes, reached without the network.
inline constexpr int kOwnMemory = -1;

// A place in memory walked by strides; in a buffer of its own core a transfer walks backwards where they are negative.
struct Box {
  Space space = Space::kDram;
  Address address = 0;
  Strides stride{};
  int owner = kOwnMemory;
  bool operator==(const Box&) const = default;
};

// Whether a transfer reaches it by requests: DRAM, cluster memory and whatever belongs to others.
constexpr bool is_memory(Space space, int owner) {
  return space == Space::kDram || space == Space::kCluster || owner != kOwnMemory;
}

// "a", or with an owner "a.3".
std::string place_name(Space space, int owner);

// Element i of `shape` goes from `source` to `target`. A load may pad: `pad_low[d]` and `pad_high[d]` of the `shape[d]`
// elements are not read but written with `pad_value` (the source address is that of the first element really read).
enum class TransferKind : std::uint8_t { kLoad, kStore, kCopy };
struct Transfer {
  TransferKind kind = TransferKind::kLoad;
  DataType type = DataType::kBf16;  // element size and the meaning of pad_value; bytes are never converted
  Extents shape{1, 1, 1, 1, 1};     // of the target, padding included
  Extents pad_low{}, pad_high{};
  double pad_value = 0;
  bool cached = false;  // a load from DRAM may be served and kept by the cluster cache
  // More than one: a load of the sums of what lies at the source's place in the memory of each, added by the network
  // (NetworkSpec::reduction) in the order of their numbers, fp32 or int32. The source's owner is the first.
  Owners summed;
  Box source, target;
  bool sums() const { return summed.size() > 1; }
  bool operator==(const Transfer&) const = default;
};

inline constexpr int kMatmulDims = 3;
using MatmulExtents = std::array<std::int64_t, kMatmulDims>;  // outermost first
// Address of an operand element: address + sum(row index * row_stride) + sum(column index * column_stride), bytes. With
// three dimensions a side a convolution's window is one operand: no copy of the input is made.
struct MatmulOperand {
  Space space = Space::kBufferA;
  Address address = 0;
  MatmulExtents row_stride{}, column_stride{};
  bool operator==(const MatmulOperand&) const = default;
};

// C[m,n] (+)= sum over k of A[m,k] * B[k,n]; A from buffer A, B from buffer B, C in the accumulator in
// accumulator_type.
struct Matmul {
  DataType type = DataType::kBf16;
  MatmulExtents m{1, 1, 1}, n{1, 1, 1}, k{1, 1, 1};
  MatmulOperand a, b, c;      // rows and columns: a = m,k   b = k,n   c = m,n
  bool accumulate = false;    // add to C, else overwrite it
  bool a_stationary = false;  // on a weight-stationary array: A is held in the cells and B streams; else B is held
  // Elements of every row of A that are zeros, whatever the values, as around weights that are repeated at a shift.
  // They take their place in the array and do no work there: they count as no multiply-adds and cost no energy of such.
  std::int64_t zeros = 0;
  bool operator==(const Matmul&) const = default;
};

enum class VectorOp : std::uint8_t {
  kCopy,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMax,
  kMin,
  kPow,  // two operands (copy: one); b may be the immediate
  kRelu,
  kGelu,
  kErf,
  kTanh,
  kSigmoid,
  kExp,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kNegate,  // one operand
  kClip,    // max(min(a, high), low): low = immediate, high = immediate2
  kReduceAdd,
  kReduceMax,  // one operand, over every dimension where target.stride is 0
  kLog,
  kSin,
  kCos,
  kFloor,
  kTruncate,
  kRound,  // one operand; halves to even
  kEqual,
  kLess,         // 1 where true, else 0
  kWhere,        // a where b is not 0, else 0
  kSilu,         // one operand: a * sigmoid(a)
  kMultiplyAdd,  // two operands: the sum of a * b over every dimension where target.stride is 0
  // Two operands, b may be the immediate: b is a scale, immediate2 a zero point; what is quantised is rounded, halves
  // to even, before the zero point is added, and saturates at -128 and 127.
  kQuantize,    // round(a / b) + zero point
  kDequantize,  // (a - zero point) * b
  kRequantize,  // round(a * b) + zero point
  // Two 4-bit numbers, from -8 to 7, lie in each int8 of a: (the one in its lower or upper half - zero point) * b.
  kDequantizeLow,
  kDequantizeHigh,
  kGeluTanh,  // one operand: a / 2 * (1 + tanh(sqrt(2 / pi) * (a + 0.044715 * a^3)))
  kAtan,      // one operand
};
inline constexpr int kVectorOpCount = 39;
std::string_view name_of(VectorOp op);
bool is_binary(VectorOp op);       // has two operands
bool has_zero_point(VectorOp op);  // in immediate2
bool takes_halves(VectorOp op);    // of each int8 of a
bool is_reduction(VectorOp op);    // over the dimensions where target.stride is 0

struct VectorOperand {
  Space space = Space::kAccumulator;
  Address address = 0;
  Strides stride{};  // 0 repeats an element (broadcast)
  DataType type = DataType::kFp32;
  bool operator==(const VectorOperand&) const = default;
};

// target[i] = op(a[i], b[i]) over `shape`, computed in fp32 (int32 where both operands are integers and the operation
// has an integer form: exact, or the quotient towards zero), rounded once to the target's type. A reduction's target
// has stride 0 in the dimensions reduced over; with `accumulate` it continues from the value there.
struct Vector {
  VectorOp op = VectorOp::kCopy;
  Extents shape{1, 1, 1, 1, 1};
  VectorOperand target, a, b;
  bool b_is_immediate = false;
  bool accumulate = false;
  double immediate = 0, immediate2 = 0;
  bool operator==(const Vector&) const = default;
};

// Flags are counting semaphores, one set per core. A signal completes when everything before it in its stream has, and
// arrives at `core` after the chip's signal time. Wait takes `count` from the core's own flag.
struct Signal {
  int core = 0;
  int flag = 0;
  bool operator==(const Signal&) const = default;
};
struct Wait {
  int flag = 0;
  int count = 1;
  bool operator==(const Wait&) const = default;
};
// Leaves when `participants` barrier instructions with this id have been reached, one per core. Drops what the cluster
// caches hold of memory that the program writes.
struct Barrier {
  int id = 0;
  int participants = 0;
  bool operator==(const Barrier&) const = default;
};

using Payload = std::variant<Transfer, Matmul, Vector, Signal, Wait, Barrier>;

// Tokens are counting semaphores inside one core, each with one producing and one consuming stream.
inline constexpr int kMaxTokensPerList = 6;
struct TokenList {
  std::array<std::uint16_t, kMaxTokensPerList> token{};
  std::uint8_t count = 0;

  void add(int id);  // InternalError when full
  const std::uint16_t* begin() const { return token.data(); }
  const std::uint16_t* end() const { return token.data() + count; }
  bool operator==(const TokenList&) const = default;
};

struct Instruction {
  Unit unit = Unit::kLoad;  // the stream it runs in; sync instructions may run in any
  std::uint16_t op = 0;     // index into Program::operators, 0 = none
  TokenList waits, posts;
  Payload payload;
  bool operator==(const Instruction&) const = default;
};

std::string_view mnemonic(const Instruction& instruction);  // "load", "store", "copy", "matmul", "vector", "signal" ...

// Which dimensions of an instruction carry information: leading dimensions of extent 1 without strides or padding are
// left out of the text and of the encoding, and reading fills them in again.
//
// Number of trailing dimensions to keep, at least 1.
int dims_of(const Transfer& transfer);
int dims_of(const Vector& vector);

struct MatmulDims {
  int m = 1, n = 1, k = 1;
};
MatmulDims dims_of(const Matmul& matmul);

// Whether the second operand is written: a binary operation reads it, another may only carry one that differs from the
// default. An immediate stands in its place.
bool has_operand_b(const Vector& vector);

}  // namespace tilewright
