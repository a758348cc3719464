// Which points of another database a shape's search begins with.
#include "planner/search/database/tiling_seeds.h"

#include <gmock/gmock.h>

#include "planner/search/database/boundary_search.h"
#include "planner/search/database/database_worker.h"

namespace tilewright {
namespace {

const OperatorShape kShape = parse_operator_shape("matmul 1_64_64_64 bf16", "");

TilingPoint point_of_tile(std::int64_t tile) {
  TilingPoint point;
  point.partition_m = point.partition_n = point.partition_k = 64;
  point.tile_m = point.tile_n = tile;
  return point;
}

// Told apart by its tile.
TilingRecord record(std::int64_t tile, const std::string& chip, Objective objective = Objective::kCycles,
                    RecordKind kind = RecordKind::kInitial) {
  TilingRecord record{.context = {chip, simulator_version(), objective}, .shape = kShape, .kind = kind};
  if (kind == RecordKind::kBoundary) record.parent = "matmul 1_128_64_64 bf16";
  record.point = point_of_tile(tile);
  record.cost.cycles = 1;
  record.growth_ppm.assign(extents_of(kShape).size(), 0);
  return record;
}

std::vector<std::int64_t> tiles(const std::vector<TilingRecord>& records) {
  TilingDatabase other(":memory:", TilingDatabase::Mode::kWrite);
  other.put(records);
  std::vector<std::int64_t> found;
  const TilingSeeds seeds = seeds_of(other, {kShape}, Objective::kCycles);
  for (const TilingPoint& point : seeds.of(kShape)) found.push_back(point.tile_m);
  return found;
}

TEST(TilingSeeds, TheSameObjectiveThenInitialOnesThenThisVersion) {
  const TilingRecord energy = record(1, "a", Objective::kEnergy),
                     boundary = record(2, "a", Objective::kCycles, RecordKind::kBoundary), initial = record(4, "b");
  TilingRecord old = record(8, "a");
  old.context.simulator = "0.0.1-of-long-ago";
  EXPECT_THAT(tiles({energy, boundary}), testing::ElementsAre(2, 1));
  EXPECT_THAT(tiles({energy, boundary, initial}), testing::ElementsAre(4, 2));
  EXPECT_THAT(tiles({energy, boundary, old, initial}), testing::ElementsAre(4, 8));
  EXPECT_THAT(tiles({energy}), testing::ElementsAre(1));
}

TEST(TilingSeeds, AreDistinctPoints) {
  EXPECT_THAT(tiles({record(4, "a"), record(4, "b"), record(8, "c")}), testing::ElementsAre(4, 8));
}

TEST(TilingSeeds, OtherShapesHaveNone) {
  TilingDatabase other(":memory:", TilingDatabase::Mode::kWrite);
  other.put({record(4, "a")});
  const OperatorShape unknown = parse_operator_shape("matmul 1_64_64_32 bf16", "");
  EXPECT_TRUE(seeds_of(other, {unknown}, Objective::kCycles).empty());
  BuildOptions options{.seeds = seeds_of(other, {unknown, kShape}, Objective::kCycles)};
  EXPECT_EQ(settings_of(options, unknown), to_string(options));
  const std::string settings = settings_of(options, kShape);
  EXPECT_THAT(settings, testing::StartsWith(to_string(options) + " seeds "));
  other.put({record(8, "b")});
  options.seeds = seeds_of(other, {kShape}, Objective::kCycles);
  EXPECT_NE(settings_of(options, kShape), settings);
}

// Answers are kept by query: those of databases without seeds stay theirs.
TEST(TilingSeeds, StandInTheQuery) {
  const std::string query = search_query(kShape, Objective::kCycles, 16);
  EXPECT_EQ(query, "search matmul 1_64_64_64 bf16 | cycles 16");
  EXPECT_EQ(search_query(kShape, Objective::kCycles, 16, {point_of_tile(4), point_of_tile(8)}),
            query + " | " + to_string(point_of_tile(4)) + " | " + to_string(point_of_tile(8)));
}

}  // namespace
}  // namespace tilewright
