// Parts of a product in panels: the same parts on the same cores, those of a cluster beside each other in the grid;
// where nothing is saved the split stays. Chosen where it is predicted to be faster, with values that stay right.
#include "planner/search/tiling/cluster_panels.h"

#include <gmock/gmock.h>

#include "planner/estimate/queue_model/queue_model.h"
#include "planner/graph/operator_shape.h"
#include "planner/search/tiling/plan_network.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

using testing::ElementsAre;

Graph panel_product(std::int64_t m, std::int64_t n, std::int64_t k) { return graph_of({.dims = {1, m, n, k}}); }

// A grid of equal parts on the first cores, row by row.
Split part_grid(std::int64_t m, std::int64_t rows, std::int64_t n, std::int64_t columns,
                std::vector<Range> sums = {{}}) {
  Split split;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c)
      for (const Range& k : sums)
        split.items.push_back({static_cast<int>(split.items.size()),
                               {{r * m / rows, (r + 1) * m / rows}, {c * n / columns, (c + 1) * n / columns}},
                               k});
  return split;
}

std::vector<int> cores_of(const std::optional<Split>& split) {
  std::vector<int> cores;
  if (split)
    for (const WorkItem& item : split->items) cores.push_back(item.core);
  return cores;
}

std::vector<int> panels(const char* file, std::int64_t m, std::int64_t n, const Split& split) {
  const Plan plan = make_plan(panel_product(m, n, 64), chip({file}), {});
  return cores_of(in_panels(plan, 0, split));
}

TEST(ClusterPanels, ClustersOfFourComputeSquaresOfASquareGrid) {
  EXPECT_THAT(panels("quad_smp_cache.yaml", 256, 256, part_grid(256, 4, 256, 4)),
              ElementsAre(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
}

TEST(ClusterPanels, OperandsOfMoreBytesAreReadByFewerClusters) {
  // Rows of 16 values, columns of 256: a cluster reads the columns of one part.
  EXPECT_THAT(panels("quad_smp_cache.yaml", 64, 1024, part_grid(64, 4, 1024, 4)),
              ElementsAre(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
  EXPECT_TRUE(panels("quad_smp_cache.yaml", 1024, 64, part_grid(1024, 4, 64, 4)).empty()) << "row by row is best";
}

TEST(ClusterPanels, PartsOfASumStayTogether) {
  const Split cut = part_grid(32, 2, 128, 4, {{0, 32}, {32, 64}});
  EXPECT_THAT(panels("quad_smp_cache.yaml", 32, 128, cut),
              ElementsAre(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));
}

TEST(ClusterPanels, NothingChangesWhereNothingIsShared) {
  EXPECT_TRUE(panels("quad_smp.yaml", 256, 256, part_grid(256, 4, 256, 4)).empty()) << "without a cache";
  EXPECT_TRUE(panels("quad_numa_cache.yaml", 256, 256, part_grid(256, 4, 256, 4)).empty())
      << "memories are not equally far";
  EXPECT_TRUE(panels("quad_smp_cache.yaml", 256, 256, part_grid(256, 1, 256, 16)).empty()) << "one row";
  EXPECT_TRUE(panels("quad_smp_cache.yaml", 256, 256, part_grid(256, 16, 256, 1)).empty()) << "one column";
  Split mixed = part_grid(256, 4, 256, 4);
  std::swap(mixed.items[0], mixed.items[5]);
  EXPECT_TRUE(panels("quad_smp_cache.yaml", 256, 256, mixed).empty()) << "not row by row";
}

TEST(ClusterPanels, AreChosenWhereTheyArePredictedToBeFaster) {
  const Hardware hardware = chip({"quad_smp_cache.yaml"});
  const Graph graph = panel_product(512, 512, 1024);
  const Plan rows = make_plan(graph, hardware, {});
  const Plan plan = plan_network(graph, hardware, {});
  EXPECT_LT(queue_model_cycles(hardware, plan.program), queue_model_cycles(hardware, rows.program));
  EXPECT_FALSE(in_panels(plan, 0, plan.operators[0].split)) << "they are the best panels";
  expect_values(plan);
}

}  // namespace
}  // namespace tilewright::test
