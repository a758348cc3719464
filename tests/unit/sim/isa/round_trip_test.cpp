// print -> parse, encode -> decode and sizes, on random instructions.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "sim/base/error.h"
#include "sim/isa/binary.h"
#include "tests/unit/sim/isa/isa_support.h"

namespace tilewright {
namespace {

std::int64_t number() {
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return *rc::gen::inRange<std::int64_t>(-70000, 70000);
    case 3:
      return *rc::gen::inRange<std::int64_t>(0, 512);
    default:
      return *rc::gen::arbitrary<std::int64_t>();
  }
}

template <typename Enum>
Enum one_of(int count) {
  return static_cast<Enum>(*rc::gen::inRange(0, count));
}

template <std::size_t N>
void fill(std::array<std::int64_t, N>& values, std::int64_t rest) {
  const int kept = *rc::gen::inRange<int>(0, N + 1);
  values.fill(rest);
  for (std::size_t i = N - kept; i < N; ++i) values[i] = number();
}

double real() {
  const auto value =
      *rc::gen::element(0.0, 1.0, -0.1, 1e-300, 3.4028234663852886e38, std::numeric_limits<double>::infinity());
  return value;
}

Box box() {
  Box box{one_of<Space>(kSpaceCount), number(), {}};
  fill(box.stride, 0);
  if (*rc::gen::inRange(0, 3) == 0) box.owner = *rc::gen::inRange(0, 70000);
  return box;
}

Owners owners() {
  const auto any = [](int from) { return static_cast<std::uint16_t>(*rc::gen::inRange(from, kMostOwners + 1)); };
  if (*rc::gen::arbitrary<bool>()) return {{1, any(1)}, {0, any(0)}};
  return {{any(2), any(1)}, {any(0), any(0)}};
}

Transfer transfer() {
  Transfer t;
  t.kind = one_of<TransferKind>(3);
  t.type = one_of<DataType>(kDataTypeCount);
  fill(t.shape, 1);
  if (*rc::gen::arbitrary<bool>()) fill(t.pad_low, 0), fill(t.pad_high, 0);
  t.pad_value = real();
  t.cached = *rc::gen::arbitrary<bool>();
  t.source = box();
  t.target = box();
  if (*rc::gen::arbitrary<bool>()) t.summed = owners();
  return t;
}

MatmulOperand matmul_operand() {
  MatmulOperand operand{one_of<Space>(kSpaceCount), number(), {}, {}};
  fill(operand.row_stride, 0);
  fill(operand.column_stride, 0);
  return operand;
}

Matmul matmul() {
  Matmul mm;
  mm.type = one_of<DataType>(kDataTypeCount);
  fill(mm.m, 1);
  fill(mm.n, 1);
  fill(mm.k, 1);
  mm.a = matmul_operand();
  mm.b = matmul_operand();
  mm.c = matmul_operand();
  mm.accumulate = *rc::gen::arbitrary<bool>();
  mm.a_stationary = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) mm.zeros = number();
  return mm;
}

VectorOperand vector_operand() {
  VectorOperand operand{one_of<Space>(kSpaceCount), number(), {}, one_of<DataType>(kDataTypeCount)};
  fill(operand.stride, 0);
  return operand;
}

Vector vector() {
  Vector v;
  v.op = one_of<VectorOp>(kVectorOpCount);
  fill(v.shape, 1);
  v.target = vector_operand();
  v.a = vector_operand();
  v.b_is_immediate = *rc::gen::arbitrary<bool>();
  if (!v.b_is_immediate) v.b = vector_operand();
  v.accumulate = *rc::gen::arbitrary<bool>();
  v.immediate = real();
  v.immediate2 = real();
  return v;
}

int small_int() { return *rc::gen::arbitrary<int>(); }

Payload payload() {
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      return transfer();
    case 1:
      return matmul();
    case 2:
      return vector();
    case 3:
      return Signal{small_int(), small_int()};
    case 4:
      return Wait{small_int(), small_int()};
    default:
      return Barrier{small_int(), small_int()};
  }
}

TokenList tokens() {
  TokenList list;
  for (int i = *rc::gen::inRange(0, kMaxTokensPerList + 1); i > 0; --i) list.add(*rc::gen::inRange(0, 0x10000));
  return list;
}

Instruction instruction() {
  Instruction i;
  i.unit = one_of<Unit>(kUnitCount);
  i.op = *rc::gen::arbitrary<std::uint16_t>();
  i.waits = tokens();
  i.posts = tokens();
  i.payload = payload();
  return i;
}

Program program() {
  Program p;
  p.name = *rc::gen::arbitrary<std::string>();
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) p.operators.push_back(*rc::gen::arbitrary<std::string>());
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    p.segments.push_back({*rc::gen::arbitrary<std::string>(), one_of<SegmentKind>(kSegmentKindCount),
                          one_of<DataType>(kDataTypeCount), number(), number()});
  }
  p.cores.resize(*rc::gen::inRange(0, 4));
  for (CoreProgram& core : p.cores) {
    core.fetch_address = number();
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) core.instructions.push_back(instruction());
  }
  return p;
}

TEST(RoundTrip, TextGivesTheSameProgram) {
  EXPECT_TRUE(rc::check([] {
    const Program p = program();
    const std::string text = print_program(p);
    const Program back = parse_program(text, "text");
    RC_ASSERT(back == p);
    RC_ASSERT(print_program(back) == text);
  }));
}

TEST(RoundTrip, BinaryGivesTheSameProgram) {
  EXPECT_TRUE(rc::check([] {
    const Program p = program();
    const auto bytes = encode(p);
    const Program back = decode(bytes, "bytes");
    RC_ASSERT(back == p);
    RC_ASSERT(encode(back) == bytes);
  }));
}

TEST(RoundTrip, SizesAreThoseOfTheEncoding) {
  EXPECT_TRUE(rc::check([] {
    Program p = program();
    p.cores.resize(1);
    const Instruction extra = instruction();
    const auto before = static_cast<Bytes>(encode(p).size());
    p.cores[0].instructions.push_back(extra);
    RC_ASSERT(static_cast<Bytes>(encode(p).size()) - before == encoded_size(extra));
    RC_ASSERT(encoded_size(extra) % 8 == 0);
  }));
}

TEST(RoundTrip, HostileBytesAreRefusedOrValid) {
  EXPECT_TRUE(rc::check([] {
    auto bytes = encode(program());
    if (*rc::gen::arbitrary<bool>()) bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size()));
    for (int flips = *rc::gen::inRange(0, 4); flips > 0 && !bytes.empty(); --flips) {
      bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] ^= static_cast<std::byte>(1 << *rc::gen::inRange(0, 8));
    }
    try {
      const Program p = decode(bytes, "bytes");
      RC_ASSERT(parse_program(print_program(p), "text").cores.size() == p.cores.size());
    } catch (const UserError& error) {
      RC_ASSERT(std::string(error.what()).find("byte") != std::string::npos);
    }
  }));
}

TEST(RoundTrip, HashTellsProgramsApart) {
  const Program p = one_core("signal core=0 flag=1 unit=load\n");
  const Program q = one_core("signal core=0 flag=2 unit=load\n");
  EXPECT_EQ(hash_of(p), hash_of(Program(p)));
  EXPECT_NE(hash_of(p), hash_of(q));
}

}  // namespace
}  // namespace tilewright
