#include "sim/machine/network/router.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr std::uint32_t kAnyVc = 0xf;

// One step; what crossed.
std::vector<Router::Move> step(Router& router, Cycles now) {
  std::vector<Router::Move> moves;
  std::vector<Router::Delay> delays;
  router.step(now, moves, delays);
  return moves;
}

void whole_packet(Router& router, int input, int vc, int output, std::uint32_t packet) {
  ASSERT_TRUE(router.accept(input, vc, {packet, 1, true, true}));
  router.request_output(input, vc, output, kAnyVc);
}

TEST(Router, ChannelInOneCycleSwitchInTheNext) {
  Router router({3, 3});
  whole_packet(router, 0, 1, 2, 7);
  EXPECT_TRUE(step(router, 10).empty());
  const auto moves = step(router, 11);
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_EQ(moves[0].group.packet, 7u);
  EXPECT_EQ(moves[0].output, 2);
  EXPECT_TRUE(router.empty());
}

TEST(Router, SpeculativeDoesBothInOneCycle) {
  Router router({3, 3, 4, 8, true});
  whole_packet(router, 0, 1, 2, 7);
  EXPECT_EQ(step(router, 10).size(), 1u);
}

// All free output channels may grant the same waiter; the other one then waits a cycle.
TEST(Router, SimultaneousRequestsCollideOnce) {
  Router router({2, 2});
  whole_packet(router, 0, 0, 1, 1);
  whole_packet(router, 1, 0, 1, 2);
  std::vector<std::uint32_t> order;
  for (Cycles now = 0; now < 5; ++now)
    for (const Router::Move& move : step(router, now)) order.push_back(move.group.packet);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 2}));
}

TEST(Router, InputsShareAnOutputInTurn) {
  Router router({2, 1});
  for (const int input : {0, 1}) {
    ASSERT_TRUE(router.accept(input, 0, {static_cast<std::uint32_t>(input), 1, true, false}));
    router.request_output(input, 0, 0, 1u << input);
    for (int i = 0; i < 3; ++i) router.accept(input, 0, {static_cast<std::uint32_t>(input), 1, false, i == 2});
  }
  std::vector<int> inputs;
  for (Cycles now = 0; now < 9; ++now)
    for (const Router::Move& move : step(router, now)) inputs.push_back(move.input);
  EXPECT_EQ(inputs, (std::vector{0, 1, 0, 1, 0, 1, 0, 1}));
}

TEST(Router, StopsWithoutCredits) {
  Router router({1, 1, 1, 2});
  ASSERT_TRUE(router.accept(0, 0, {1, 1, true, false}));
  router.request_output(0, 0, 0, 1);
  router.accept(0, 0, {1, 1, false, false});
  step(router, 0);
  EXPECT_EQ(step(router, 1).size(), 1u);
  EXPECT_EQ(step(router, 2).size(), 1u);
  router.accept(0, 0, {1, 1, false, true});
  EXPECT_TRUE(step(router, 3).empty());
  EXPECT_TRUE(router.return_credits(0, 0, 1));
  EXPECT_EQ(step(router, 4).size(), 1u);
}

TEST(Router, GroupHoldsTheCrossbar) {
  Router router({1, 1, 2, 8});
  ASSERT_TRUE(router.accept(0, 0, {1, 4, true, true}));
  ASSERT_TRUE(router.accept(0, 1, {2, 4, true, true}));
  router.request_output(0, 0, 0, 1);
  router.request_output(0, 1, 0, 2);
  std::vector<Cycles> times;
  for (Cycles now = 0; now < 10; ++now)
    if (!step(router, now).empty()) times.push_back(now);
  EXPECT_EQ(times, (std::vector<Cycles>{1, 5}));
}

TEST(Router, TailUncoversTheNextPacket) {
  Router router({1, 2});
  whole_packet(router, 0, 0, 1, 5);
  EXPECT_FALSE(router.accept(0, 0, {6, 1, true, true}));
  step(router, 0);
  const auto moves = step(router, 1);
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_TRUE(moves[0].uncovers_head);
  EXPECT_EQ(moves[0].next_packet, 6u);
}

TEST(Router, BrokenPromisesAreOurBug) {
  Router router({1, 1, 1, 1});
  EXPECT_THROW(router.return_credits(0, 0, 1), InternalError);
  EXPECT_THROW(router.accept(0, 0, {1, 1, false, true}), InternalError);
  Router full({1, 1, 1, 1});
  full.accept(0, 0, {1, 1, true, true});
  EXPECT_THROW(full.accept(0, 0, {2, 1, true, true}), InternalError);
}

}  // namespace
}  // namespace tilewright
