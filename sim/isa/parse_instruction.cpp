#include "sim/isa/parse_instruction.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/base/error.h"

namespace tilewright {

namespace {

constexpr std::int64_t kIntMax = std::numeric_limits<int>::max();

// One of a closed set, by the names its name_of gives.
template <typename Enum>
Enum named(const Lexer& in, std::string_view word, int count, std::string_view what) {
  std::string names;
  for (int i = 0; i < count; ++i) {
    const auto name = name_of(static_cast<Enum>(i));
    if (name == word) return static_cast<Enum>(i);
    names += fmt::format("{}{}", i > 0 ? "|" : "", name);
  }
  in.fail_at(word, fmt::format("{} ({})", what, names));
}

template <typename Enum>
Enum parse_enum(Lexer& in, int count, std::string_view what) {
  return named<Enum>(in, in.word(what), count, what);
}

// Numbers up to the closing sign, laid against the inner end of the array. Returns how many.
template <std::size_t N>
int parse_list(Lexer& in, std::array<std::int64_t, N>& values, std::string_view what, std::string_view close) {
  std::array<std::int64_t, N> read{};
  std::size_t count = 0;
  do {
    if (count == N) in.fail(fmt::format("'{}': at most {} numbers", close, N));
    read[count++] = in.integer(what);
  } while (in.accept(","));
  in.expect(close);
  std::copy_n(read.begin(), count, values.end() - count);
  return static_cast<int>(count);
}

template <std::size_t N>
void parse_strides(Lexer& in, std::array<std::int64_t, N>& values, int dims, std::string_view close) {
  const int count = parse_list(in, values, "a stride in bytes", close);
  if (count != dims) in.fail_at(fmt::format("{} strides", count), fmt::format("{} as the shape has", dims));
}

template <std::size_t N>
int parse_shape(Lexer& in, std::array<std::int64_t, N>& values) {
  in.expect("[");
  return parse_list(in, values, "an extent", "]");
}

void parse_place(Lexer& in, Space& space, Address& address) {
  space = parse_enum<Space>(in, kSpaceCount, "a memory");
  in.expect("@");
  address = in.integer("an address");
}

// "a", or "a.3" for that of core 3.
void parse_memory(Lexer& in, Box& box) {
  const std::string_view word = in.word("a memory");
  const std::size_t dot = word.find('.');
  box.space = named<Space>(in, word.substr(0, dot), kSpaceCount, "a memory");
  if (dot == std::string_view::npos) return;
  Lexer number(word.substr(dot + 1), in.where());
  box.owner = static_cast<int>(number.integer("the number of a core or cluster", 0, kIntMax));
  number.expect_end();
}

Box parse_box(Lexer& in, int dims) {
  Box box;
  parse_memory(in, box);
  in.expect("@");
  box.address = in.integer("an address");
  in.expect("(");
  parse_strides(in, box.stride, dims, ")");
  return box;
}

VectorOperand parse_vector_operand(Lexer& in, int dims) {
  VectorOperand operand;
  parse_place(in, operand.space, operand.address);
  in.expect(":");
  operand.type = parse_type(in);
  in.expect("(");
  parse_strides(in, operand.stride, dims, ")");
  return operand;
}

MatmulOperand parse_matmul_operand(Lexer& in, int rows, int columns) {
  MatmulOperand operand;
  parse_place(in, operand.space, operand.address);
  in.expect("(");
  parse_strides(in, operand.row_stride, rows, ";");
  parse_strides(in, operand.column_stride, columns, ")");
  return operand;
}

void parse_pad(Lexer& in, Transfer& t, int dims) {
  in.expect("=");
  in.expect("[");
  for (int d = kBoxDims - dims; d < kBoxDims; ++d) {
    if (d > kBoxDims - dims) in.expect(",");
    t.pad_low[d] = in.integer("padding before");
    in.expect(":");
    t.pad_high[d] = in.integer("padding after");
  }
  in.expect("]");
}

Owners parse_owners(Lexer& in) {
  in.expect("=");
  std::array<std::int64_t, kOwnerDims> count{1, 1}, step{};
  const int dims = parse_shape(in, count);
  in.expect("(");
  const int steps = parse_list(in, step, "a step between numbers", ")");
  if (steps != dims) in.fail_at(fmt::format("{} steps", steps), fmt::format("{} as there are counts", dims));
  Owners owners;
  for (int d = 0; d < kOwnerDims; ++d) {
    if (count[d] < 1 || count[d] > kMostOwners || step[d] < 0 || step[d] > kMostOwners)
      in.fail(fmt::format("counts from 1 and steps from 0 to {}", kMostOwners));
    owners.count[d] = static_cast<std::uint16_t>(count[d]);
    owners.step[d] = static_cast<std::uint16_t>(step[d]);
  }
  return owners;
}

double parse_value(Lexer& in) {
  in.expect("=");
  return in.real("a number");
}

Transfer parse_transfer(Lexer& in, TransferKind kind) {
  Transfer t;
  t.kind = kind;
  t.type = parse_type(in);
  const int dims = parse_shape(in, t.shape);
  t.source = parse_box(in, dims);
  in.expect("->");
  t.target = parse_box(in, dims);
  for (;;) {
    if (in.accept("cached")) {
      t.cached = true;
    } else if (in.accept("sum")) {
      t.summed = parse_owners(in);
    } else if (in.accept("pad")) {
      parse_pad(in, t, dims);
    } else if (in.accept("value")) {
      t.pad_value = parse_value(in);
    } else {
      return t;
    }
  }
}

int parse_extents(Lexer& in, std::string_view name, MatmulExtents& extents) {
  in.expect(name);
  in.expect("=");
  return parse_shape(in, extents);
}

Matmul parse_matmul(Lexer& in) {
  Matmul mm;
  mm.type = parse_type(in);
  const int m = parse_extents(in, "m", mm.m), n = parse_extents(in, "n", mm.n), k = parse_extents(in, "k", mm.k);
  mm.a = parse_matmul_operand(in, m, k);
  mm.b = parse_matmul_operand(in, k, n);
  in.expect("->");
  mm.c = parse_matmul_operand(in, m, n);
  for (;;) {
    if (in.accept("accumulate")) {
      mm.accumulate = true;
    } else if (in.accept("a_stationary")) {
      mm.a_stationary = true;
    } else if (in.accept("zeros")) {
      in.expect("=");
      mm.zeros = in.integer("zeros in a row of A");
    } else {
      return mm;
    }
  }
}

bool next_is_memory(Lexer& in) {
  Lexer ahead = in;
  for (int i = 0; i < kSpaceCount; ++i) {
    if (ahead.accept(name_of(static_cast<Space>(i))) && ahead.accept("@")) return true;
  }
  return false;
}

void parse_second(Lexer& in, Vector& v, int dims) {
  if (next_is_memory(in)) {
    v.b = parse_vector_operand(in, dims);
  } else {
    v.b_is_immediate = true;
    v.immediate = in.real("a second operand, memory or number");
  }
}

Vector parse_vector(Lexer& in) {
  Vector v;
  v.op = parse_enum<VectorOp>(in, kVectorOpCount, "a vector operation");
  const int dims = parse_shape(in, v.shape);
  v.a = parse_vector_operand(in, dims);
  const bool second = in.accept(",");
  if (second) parse_second(in, v, dims);
  if (!second && is_binary(v.op)) in.fail(fmt::format("',' and the second operand of {}", name_of(v.op)));
  in.expect("->");
  v.target = parse_vector_operand(in, dims);
  for (;;) {
    if (in.accept("accumulate")) {
      v.accumulate = true;
    } else if (in.accept("low")) {
      v.immediate = parse_value(in);
    } else if (in.accept(has_zero_point(v.op) ? "zero" : "high")) {
      v.immediate2 = parse_value(in);
    } else {
      return v;
    }
  }
}

int parse_field(Lexer& in, std::string_view name) {
  in.expect(name);
  in.expect("=");
  return static_cast<int>(in.integer("a number", -kIntMax - 1, kIntMax));
}

Signal parse_signal(Lexer& in) {
  Signal signal;
  signal.core = parse_field(in, "core");
  signal.flag = parse_field(in, "flag");
  return signal;
}

Wait parse_wait(Lexer& in) {
  Wait wait;
  wait.flag = parse_field(in, "flag");
  wait.count = parse_field(in, "count");
  return wait;
}

Barrier parse_barrier(Lexer& in) {
  Barrier barrier;
  barrier.id = parse_field(in, "id");
  barrier.participants = parse_field(in, "of");
  return barrier;
}

Payload parse_payload(Lexer& in, std::string_view name) {
  if (name == "load") return parse_transfer(in, TransferKind::kLoad);
  if (name == "store") return parse_transfer(in, TransferKind::kStore);
  if (name == "copy") return parse_transfer(in, TransferKind::kCopy);
  if (name == "matmul") return parse_matmul(in);
  if (name == "vector") return parse_vector(in);
  if (name == "signal") return parse_signal(in);
  if (name == "wait") return parse_wait(in);
  if (name == "barrier") return parse_barrier(in);
  in.fail_at(name, "an instruction (load|store|copy|matmul|vector|signal|wait|barrier) or core");
}

TokenList parse_tokens(Lexer& in) {
  TokenList tokens;
  do {
    if (tokens.count == kMaxTokensPerList) in.fail(fmt::format("at most {} tokens", kMaxTokensPerList));
    const std::string_view word = in.word("a token like t1");
    if (!word.starts_with('t')) in.fail_at(word, "a token like t1");
    Lexer digits(word.substr(1), in.where());
    tokens.add(static_cast<int>(digits.integer("a token's number", 0, 0xffff)));
    digits.expect_end();
  } while (in.accept(","));
  return tokens;
}

// The stream an instruction runs in when the line does not say; the others must.
void parse_unit(Lexer& in, Instruction& instruction, std::string_view name) {
  if (in.accept("unit")) {
    in.expect("=");
    instruction.unit = parse_enum<Unit>(in, kUnitCount, "a unit");
    return;
  }
  for (int i = 0; i < kUnitCount; ++i) {
    if (name_of(static_cast<Unit>(i)) == name) {
      instruction.unit = static_cast<Unit>(i);
      return;
    }
  }
  in.fail("unit=load|store|matmul|vector");
}

}  // namespace

DataType parse_type(Lexer& in) { return parse_enum<DataType>(in, kDataTypeCount, "a data type"); }

SegmentKind parse_segment_kind(Lexer& in) {
  return parse_enum<SegmentKind>(in, kSegmentKindCount, "a kind of segment");
}

Instruction parse_instruction(Lexer& in) {
  Instruction instruction;
  const std::string name(in.word("an instruction"));
  if (in.accept("op")) {
    in.expect("=");
    instruction.op = static_cast<std::uint16_t>(in.integer("an operator's number", 0, 0xffff));
  }
  instruction.payload = parse_payload(in, name);
  parse_unit(in, instruction, name);
  if (in.accept("wait")) instruction.waits = parse_tokens(in);
  if (in.accept("post")) instruction.posts = parse_tokens(in);
  return instruction;
}

}  // namespace tilewright
