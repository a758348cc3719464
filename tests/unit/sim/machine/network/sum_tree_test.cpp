#include "sim/machine/network/sum_tree.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/unit/sim/machine/network/network_fixture.h"

namespace tilewright {
namespace {

// With an adder at every router.
NetworkSpec adding(NetworkSpec spec) {
  spec.multicast = spec.reduction = 4;
  spec.attach_adders();
  return spec;
}

SumTree tree_of(const NetworkSpec& spec, const std::vector<int>& sources, int destination) {
  return make_sum_tree(spec, NetworkRoutes(spec), sources, destination);
}

std::vector<int> first_terminals(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Packets that arrive at each router that adds, and at the destination.
std::map<int, int> arrivals(const NetworkSpec& spec, const SumTree& tree, const std::vector<int>& sources,
                            int destination) {
  std::map<int, int> arrived;
  const auto arrive = [&](int terminal) {
    ++arrived[terminal == destination ? -1 : spec.terminal_router[static_cast<std::size_t>(terminal)]];
  };
  for (const int source : sources) arrive(tree.next.at(source));
  for (const auto& [router, meeting] : tree.meetings) arrive(meeting.next);
  return arrived;
}

// 0 1 2     to router 4: rows 0, 1 and 2 come to column 1, which comes to the middle.
// 3 4 5
// 6 7 8
TEST(SumTree, PartsMeetWhereTheirWaysDo) {
  const NetworkSpec spec = adding(mesh(3, 3));
  const SumTree tree = tree_of(spec, first_terminals(9), 4);
  ASSERT_EQ(tree.meetings.size(), 3U);
  EXPECT_EQ(tree.meetings.at(1).inputs, 3) << "its own and those of 0 and 2";
  EXPECT_EQ(tree.meetings.at(7).inputs, 3);
  EXPECT_EQ(tree.meetings.at(4).inputs, 5) << "its own and those of 1, 3, 5 and 7";
  EXPECT_EQ(tree.meetings.at(4).next, 4) << "and the sum goes to who wanted it";
  const auto goes_to_router = [&](int terminal) { return spec.terminal_router[static_cast<std::size_t>(terminal)]; };
  EXPECT_EQ(goes_to_router(tree.meetings.at(1).next), 4);
  EXPECT_EQ(goes_to_router(tree.next.at(0)), 1);
  EXPECT_EQ(goes_to_router(tree.next.at(5)), 4);
}

TEST(SumTree, WhatComesFromDifferentSidesTakesDifferentInputs) {
  const NetworkSpec spec = adding(mesh(3, 3));
  const SumTree tree = tree_of(spec, first_terminals(9), 4);
  std::set<int> inputs{tree.next.at(3), tree.next.at(5), tree.next.at(4), tree.meetings.at(1).next,
                       tree.meetings.at(7).next};
  EXPECT_EQ(inputs.size(), 5U);
}

// A row of four: nobody is between the two, and the last does not add what is one.
TEST(SumTree, AWayAloneIsNotAdded) {
  const NetworkSpec spec = adding(mesh(4, 1));
  const SumTree tree = tree_of(spec, {0, 1}, 3);
  ASSERT_EQ(tree.meetings.size(), 1U);
  EXPECT_EQ(tree.meetings.at(1).inputs, 2);
  EXPECT_EQ(tree.meetings.at(1).next, 3);
  EXPECT_TRUE(tree_of(spec, {2}, 0).meetings.empty());
}

TEST(SumTree, SeveralPartsOfOneTerminalAreAddedAtItsRouter) {
  const NetworkSpec spec = adding(crossbar(3, 1));
  const SumTree tree = tree_of(spec, {0, 0, 1, 2}, 1);
  ASSERT_EQ(tree.meetings.size(), 1U);
  EXPECT_EQ(tree.meetings.at(0).inputs, 4);
}

// Whoever adds gets what it waits for, and the destination one packet.
TEST(SumTree, EveryPartArrivesOnceOnEveryTopology) {
  for (const NetworkSpec& plain : {mesh(4, 3), ring(5, 1), ring(6, 1), torus(4, 4), torus(3, 5), crossbar(6, 2)}) {
    const NetworkSpec spec = adding(plain);
    for (int count = 2; count <= spec.clusters; ++count)
      for (int destination = 0; destination < spec.clusters; ++destination) {
        const std::vector<int> sources = first_terminals(count);
        const SumTree tree = tree_of(spec, sources, destination);
        std::map<int, int> expected{{-1, 1}};
        for (const auto& [router, meeting] : tree.meetings) expected[router] = meeting.inputs;
        EXPECT_EQ(arrivals(spec, tree, sources, destination), expected) << count << " to " << destination;
      }
  }
}

}  // namespace
}  // namespace tilewright
