// Between mocks: lists of one core's instructions, of which loads may come before those that wait.
#include "planner/passes/link/early_loads.h"

#include <gmock/gmock.h>

namespace tilewright::test {
namespace {

using testing::ElementsAre;

constexpr Bytes kElement = 2, kRequest = 64;

// Numbers of `rows` x 64 bytes from DRAM into buffer A.
PlainInstruction load(int turn, Address from, Address to, int barrier = -1, std::int64_t rows = 1) {
  Transfer transfer{.kind = TransferKind::kLoad, .shape = {1, 1, 1, rows, 32}};
  transfer.source = {Space::kDram, from, {0, 0, 0, rows > 1 ? 64 : 0, kElement}};
  transfer.target = {Space::kBufferA, to, {0, 0, 0, rows > 1 ? 64 : 0, kElement}};
  return {{.unit = Unit::kLoad, .payload = transfer}, turn, barrier};
}
PlainInstruction barrier(int turn, int number) {
  return {{.unit = Unit::kStore, .payload = Barrier{number, 2}}, turn, number};
}
PlainInstruction wait(int turn) { return {{.unit = Unit::kLoad, .payload = Wait{}}, turn, -1}; }
// Reads 64 bytes of buffer A.
PlainInstruction use(int turn, Address from) {
  Vector vector{.op = VectorOp::kCopy, .shape = {1, 1, 1, 1, 32}};
  vector.a = {Space::kBufferA, from, {0, 0, 0, 0, kElement}, DataType::kBf16};
  vector.target = {Space::kAccumulator, 0, {0, 0, 0, 0, kElement}, DataType::kBf16};
  return {{.unit = Unit::kVector, .payload = vector}, turn, -1};
}

// Where loads come from, in order; -1 for whatever else there is.
std::vector<Address> order_of(std::vector<PlainInstruction> plain, Bytes bytes = 1024) {
  std::vector<Address> order;
  for (const PlainInstruction& at : with_early_loads(std::move(plain), bytes, kRequest)) {
    const auto* transfer = std::get_if<Transfer>(&at.instruction.payload);
    order.push_back(transfer ? transfer->source.address : -1);
  }
  return order;
}

TEST(EarlyLoads, ComeBeforeALoadThatWaitsForABarrier) {
  EXPECT_THAT(order_of({barrier(1, 0), load(1, 100, 0, 0), use(1, 0), load(2, 500, 64)}),
              ElementsAre(-1, 500, 100, -1));
}

TEST(EarlyLoads, ComeBeforeAWait) {
  EXPECT_THAT(order_of({wait(0), load(0, 100, 0), load(1, 500, 64)}), ElementsAre(500, -1, 100));
}

TEST(EarlyLoads, StayWhereNothingWaits) {
  EXPECT_THAT(order_of({load(0, 100, 0), use(0, 0), load(1, 500, 64)}), ElementsAre(100, -1, 500));
  // The barrier has been waited for.
  EXPECT_THAT(order_of({barrier(1, 0), load(1, 100, 0, 0), use(1, 0), load(1, 200, 0, 0), load(2, 500, 64, 0)}),
              ElementsAre(-1, 100, -1, 200, 500));
}

// Its own barrier, its place, its operator's wait and its own operator hold it.
TEST(EarlyLoads, StayBehindWhatTheyNeed) {
  EXPECT_THAT(order_of({barrier(1, 0), load(1, 100, 0, 0), barrier(2, 1), load(2, 500, 64, 1)}),
              ElementsAre(-1, 100, -1, 500));
  EXPECT_THAT(order_of({barrier(1, 0), load(1, 100, 0, 0), use(1, 64), load(2, 500, 64)}),
              ElementsAre(-1, 100, -1, 500));
  EXPECT_THAT(order_of({barrier(1, 0), load(1, 100, 0, 0), use(1, 0), load(2, 500, 0)}), ElementsAre(-1, 100, -1, 500));
  EXPECT_THAT(order_of({wait(0), load(0, 100, 0), load(0, 500, 64)}), ElementsAre(-1, 100, 500));
  EXPECT_THAT(order_of({barrier(1, 0), load(1, 100, 0, 0), wait(2), load(2, 500, 64)}), ElementsAre(-1, 100, -1, 500));
}

// What moved in front of one keeps its place against what moves in front of the next.
TEST(EarlyLoads, KeepTheirOrder) {
  EXPECT_THAT(order_of({barrier(1, 0), load(1, 100, 0, 0), load(2, 500, 64), load(3, 600, 64)}),
              ElementsAre(-1, 500, 600, 100));
}

// 64 bytes fit, 63 do not; of two rows the first goes alone, and the rest follows where it stood.
TEST(EarlyLoads, AreNoMoreThanTheBytes) {
  const std::vector<PlainInstruction> plain{barrier(1, 0), load(1, 100, 0, 0), load(2, 500, 64), load(2, 700, 128)};
  EXPECT_THAT(order_of(plain, 128), ElementsAre(-1, 500, 700, 100));
  EXPECT_THAT(order_of(plain, 127), ElementsAre(-1, 500, 100, 700));
  EXPECT_THAT(order_of(plain, 64), ElementsAre(-1, 500, 100, 700));
  EXPECT_THAT(order_of(plain, 63), ElementsAre(-1, 100, 500, 700));
  const std::vector<PlainInstruction> rows{barrier(1, 0), load(1, 100, 0, 0), load(2, 500, 64, -1, 3)};
  EXPECT_THAT(order_of(rows, 192), ElementsAre(-1, 500, 100));
  EXPECT_THAT(order_of(rows, 191), ElementsAre(-1, 500, 100, 628));
  EXPECT_THAT(order_of(rows, 64), ElementsAre(-1, 500, 100, 564));
}

TEST(EarlyLoads, PartsOfALoadTouchItsBytes) {
  const auto parts = with_early_loads({barrier(1, 0), load(1, 100, 0, 0), load(2, 500, 64, -1, 3)}, 128, kRequest);
  ASSERT_EQ(parts.size(), 4u);
  const Transfer& first = std::get<Transfer>(parts[1].instruction.payload);
  const Transfer& rest = std::get<Transfer>(parts[3].instruction.payload);
  EXPECT_THAT(first.shape, ElementsAre(1, 1, 1, 2, 32));
  EXPECT_THAT(rest.shape, ElementsAre(1, 1, 1, 1, 32));
  EXPECT_EQ(rest.target.address, 64 + 128);
  EXPECT_EQ(rest.source.stride[3], 0);
}

}  // namespace
}  // namespace tilewright::test
