// What every topology resolves to: routers, links, and who hangs where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <queue>

#include "sim/hw/config/read_hardware.h"
#include "tests/support/chip_text.h"

namespace tilewright {
namespace {

using testing::ElementsAre;

Hardware chip(int clusters, const std::string& keys, int channels, int regions = 1) {
  return chip_of({.name = "n",
                  .clusters = std::to_string(clusters),
                  .network = keys,
                  .dram = fmt::format("preset: DDR4_2400U, channels: {}, regions: {}", channels, regions)});
}

NetworkSpec network(int clusters, const std::string& keys, int channels, int regions = 1) {
  return chip(clusters, keys, channels, regions).network;
}

// Routers on the shortest way from a cluster to a channel, both ends counted; 0 when there is no way.
int routers_between(const NetworkSpec& spec, int cluster, int channel) {
  int from = spec.terminal_router[spec.cluster_terminal(cluster, 0)];
  int to = spec.terminal_router[spec.channel_terminal(channel)];
  std::vector<int> distance(spec.routers, 0);
  std::queue<int> open({from});
  distance[from] = 1;
  for (; !open.empty(); open.pop())
    for (const NetworkSpec::Link& link : spec.links)
      if (link.from == open.front() && distance[link.to] == 0) {
        distance[link.to] = distance[link.from] + 1;
        open.push(link.to);
      }
  return distance[to];
}

std::vector<std::pair<int, int>> links_of(const NetworkSpec& spec) {
  std::vector<std::pair<int, int>> links;
  for (const NetworkSpec::Link& link : spec.links) links.emplace_back(link.from, link.to);
  return links;
}

TEST(Network, SmpHasTwoRoutersBetweenAnyClusterAndAnyChannel) {
  NetworkSpec spec = network(3, "topology: smp, ports_per_cluster: 2", 5);
  EXPECT_EQ(spec.routers, 8);
  EXPECT_EQ(spec.links.size(), 2u * 3 * 5);
  ASSERT_EQ(static_cast<int>(spec.terminal_router.size()), spec.terminals());
  for (int cluster = 0; cluster < 3; ++cluster)
    for (int channel = 0; channel < 5; ++channel) EXPECT_EQ(routers_between(spec, cluster, channel), 2);
}

TEST(Network, NumaPutsTheOwnRegionOneRouterAway) {
  NetworkSpec spec = network(4, "topology: numa, channels_per_router: 2", 8, 4);
  EXPECT_EQ(spec.routers, 4);
  EXPECT_EQ(spec.links.size(), 12u);
  for (int cluster = 0; cluster < 4; ++cluster)
    for (int channel = 0; channel < 8; ++channel)
      EXPECT_EQ(routers_between(spec, cluster, channel), channel / 2 == cluster ? 1 : 2);
}

TEST(Network, MeshLinksInTheOrderOfItsDirections) {
  NetworkSpec spec = network(2, "topology: mesh, columns: 2, rows: 2", 2);
  EXPECT_THAT(links_of(spec), ElementsAre(std::pair(0, 1), std::pair(0, 2), std::pair(1, 0), std::pair(1, 3),
                                          std::pair(2, 3), std::pair(2, 0), std::pair(3, 2), std::pair(3, 1)));
  EXPECT_THAT(spec.terminal_router, ElementsAre(0, 1, 0, 2));
}

TEST(Network, MeshTakesExplicitPlaces) {
  NetworkSpec spec =
      network(2, "topology: mesh, columns: 3, rows: 2, cluster_routers: [4, 1], channel_routers: [0, 5]", 2);
  EXPECT_THAT(spec.terminal_router, ElementsAre(4, 1, 0, 5));
  EXPECT_EQ(routers_between(spec, 0, 0), 3);
}

TEST(Network, RingSpreadsItsGuests) {
  NetworkSpec spec = network(2, "topology: ring, routers: 6", 3);
  EXPECT_THAT(spec.terminal_router, ElementsAre(0, 3, 0, 2, 4));
  EXPECT_EQ(spec.links.size(), 12u);
  EXPECT_EQ(spec.links[0].to, 1);
  EXPECT_EQ(spec.links[1].to, 5);
  EXPECT_EQ(network(1, "topology: ring, routers: 2", 1).links.size(), 2u);
  EXPECT_TRUE(network(1, "topology: ring, routers: 1", 1).links.empty());
}

TEST(Network, TorusLinksRoundBothDimensions) {
  NetworkSpec spec = network(2, "topology: torus, columns: 3, rows: 2", 2);
  EXPECT_EQ(spec.routers, 6);
  EXPECT_EQ(spec.mesh_columns, 3);
  ASSERT_EQ(spec.links.size(), 6u * 3);  // two ways along x, one between the two rows
  const auto links = links_of(spec);
  EXPECT_THAT(std::vector(links.begin() + 6, links.begin() + 9),
              ElementsAre(std::pair(2, 0), std::pair(2, 1), std::pair(2, 5)));
  EXPECT_EQ(network(1, "topology: torus, columns: 1, rows: 1", 1).links.size(), 0u);
}

TEST(Network, CrossbarIsOneRouter) {
  NetworkSpec spec = network(3, "topology: crossbar, ports_per_cluster: 2", 5);
  EXPECT_EQ(spec.routers, 1);
  EXPECT_TRUE(spec.links.empty());
  EXPECT_THAT(spec.terminal_router, testing::Each(0));
  EXPECT_EQ(static_cast<int>(spec.terminal_router.size()), 3 * 2 + 5);
}

TEST(Network, SeveralClustersShareARouter) {
  EXPECT_THAT(network(4, "topology: mesh, columns: 2, rows: 1, clusters_per_router: 2", 2).terminal_router,
              ElementsAre(0, 0, 1, 1, 0, 1));
  EXPECT_THAT(network(5, "topology: smp, clusters_per_router: 2", 2).terminal_router, ElementsAre(0, 0, 1, 1, 2, 3, 4));
  EXPECT_THAT(network(4, "topology: numa, clusters_per_router: 4", 1).terminal_router, ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(
      network(3, "topology: ring, routers: 2, clusters_per_router: 2, cluster_routers: [1, 1, 0]", 1).terminal_router,
      ElementsAre(1, 1, 0, 0));
}

TEST(Network, FlitsOfAPacket) {
  EXPECT_EQ(network(1, "topology: smp, flit_bytes: 64", 1).flits_for(0), 1);
  EXPECT_EQ(network(1, "topology: smp, flit_bytes: 64", 1).flits_for(64), 2);
  const NetworkSpec spec = network(1, "topology: smp, flit_bytes: 64, header_bytes: 8", 1);
  EXPECT_EQ(spec.flits_for(0), 1);
  EXPECT_EQ(spec.flits_for(56), 1);
  EXPECT_EQ(spec.flits_for(57), 2);
  EXPECT_EQ(network(1, "topology: smp, header_bytes: 0", 1).flits_for(0), 1);
  EXPECT_EQ(network(1, "topology: smp, flit_bytes: 8, header_bytes: 20", 1).flits_for(4), 3);
}

// What is written back reads as the same network.
TEST(Network, NewKeysAreWrittenBack) {
  for (const std::string keys :
       {"topology: torus, columns: 3, rows: 2, clusters_per_router: 3", "topology: crossbar, header_bytes: 4",
        "topology: smp, clusters_per_router: 2", "topology: numa, clusters_per_router: 2",
        "topology: smp, multicast: 7, router: {buffer_flits: 9}",
        "topology: mesh, columns: 2, rows: 2, multicast: 7, reduction: 3, router: {buffer_flits: 9}"}) {
    const Hardware hardware = chip(4, keys, 2);
    const Hardware again = load_hardware_text(to_yaml(hardware), "again");
    EXPECT_EQ(again.network.terminal_router, hardware.network.terminal_router) << keys;
    EXPECT_EQ(links_of(again.network), links_of(hardware.network)) << keys;
    EXPECT_EQ(again.network.header_bytes, hardware.network.header_bytes) << keys;
    EXPECT_EQ(again.network.multicast, hardware.network.multicast) << keys;
    EXPECT_EQ(again.network.reduction, hardware.network.reduction) << keys;
    EXPECT_EQ(to_yaml(again), to_yaml(hardware)) << keys;
  }
}

// An input of each router's adder for each link and terminal: of routers of a row with a channel at the first, three,
// three and two.
TEST(Network, AddersHangOnTheirRouters) {
  const NetworkSpec spec =
      network(3, "topology: mesh, columns: 3, rows: 1, multicast: 8, reduction: 2, router: {buffer_flits: 9}", 1);
  EXPECT_THAT(spec.terminal_router, ElementsAre(0, 1, 2, 0, 0, 0, 0, 1, 1, 1, 2, 2));
  EXPECT_EQ(spec.terminals(), 12);
  EXPECT_EQ(spec.adder_terminal(1, 2), 4 + 3 + 2);
  EXPECT_EQ(network(3, "topology: mesh, columns: 3, rows: 1", 1).terminals(), 4);
}

TEST(Network, SimpleHasNoRouters) {
  NetworkSpec spec = network(2, "topology: simple, frequency_mhz: 1200.48", 2);
  EXPECT_EQ(spec.routers, 0);
  EXPECT_TRUE(spec.terminal_router.empty());
  EXPECT_EQ(spec.clock.period_ps, 833);
}

}  // namespace
}  // namespace tilewright
