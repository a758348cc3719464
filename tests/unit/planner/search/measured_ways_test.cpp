#include "planner/search/tiling/measured_ways.h"

#include <gmock/gmock.h>

#include "planner/search/tiling/tiling_measurer.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright::test {
namespace {

Hardware shipped_chip(const char* name) {
  return load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/" + name + ".yaml");
}

Graph product_graph(std::int64_t m, std::int64_t n, std::int64_t k) {
  return tiling_operator({.dims = {1, m, n, k}}).graph;
}

std::vector<std::string> names(const std::vector<PlanningWay>& ways) {
  std::vector<std::string> found;
  for (const PlanningWay& way : ways) found.push_back(way.name);
  return found;
}

TEST(MeasuredWays, HalfAsManyCoresDownToOne) {
  const std::vector<PlanningWay> all = core_ways({}, shipped_chip("quad_smp"));
  EXPECT_THAT(names(all), testing::ElementsAre("--cores 16", "--cores 8", "--cores 4", "--cores 2", "--cores 1"));
  EXPECT_EQ(all.front().options.cores, 0);  // all, as asked
  EXPECT_EQ(all[1].options.cores, 8);
  EXPECT_TRUE(all.front().needed);
  EXPECT_FALSE(all[1].needed);
  EXPECT_THAT(names(core_ways({.cores = 6}, shipped_chip("quad_smp"))),
              testing::ElementsAre("--cores 6", "--cores 3", "--cores 1"));
}

TEST(MeasuredWays, TheFastestIsNoSlowerThanAny) {
  const Hardware hardware = shipped_chip("quad_smp");
  const std::vector<MeasuredWay> measured = measure_ways(product_graph(16, 32, 64), hardware, core_ways({}, hardware));
  ASSERT_EQ(measured.size(), 5U);
  for (const MeasuredWay& one : measured) EXPECT_LE(fastest(measured).cost.cycles, one.cost.cycles) << one.way.name;
  EXPECT_THAT(ways_text("Numbers of cores", measured), testing::HasSubstr("--cores 16"));
}

TEST(MeasuredWays, AllModesAreNeededFewerCoresAreNot) {
  Hardware hardware = shipped_chip("quad_smp");
  std::vector<PlanningWay> ways = core_ways({}, hardware);
  ways[1].options.order = {"another"};  // cannot be planned
  EXPECT_EQ(measure_ways(product_graph(16, 32, 64), hardware, ways).size(), 4U);
  ways[1].needed = true;
  EXPECT_ANY_THROW(measure_ways(product_graph(16, 32, 64), hardware, ways));
  EXPECT_EQ(parallel_ways({}).size(), kParallelNames.size());
}

}  // namespace
}  // namespace tilewright::test
