// A small database of the edge chip, built in one go, in pieces, and by a process that is killed again and again.
#include "planner/search/database/database_build.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>

#include "planner/search/database/database_check.h"
#include "planner/search/database/database_worker.h"
#include "planner/search/database/random_shapes.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "tests/support/command_case.h"

namespace tilewright {
namespace {

using testing_support::ScratchFolder;
using Mode = TilingDatabase::Mode;
using Texts = std::vector<std::vector<std::string>>;

class DatabaseBuild : public testing::Test {
 protected:
  Hardware hardware_ = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/edge_single.yaml");
  std::vector<OperatorShape> shapes_ = random_shapes(4, 3, {.min_macs = 1 << 19, .max_macs = 1 << 21});
  BuildOptions options_{.threshold = 0.1, .tolerance = 0.1, .budget = 2, .max_visits = 6, .max_boundary = 3};
  ScratchFolder scratch_{"database_build"};

  std::string path(const std::string& name) const { return (scratch_.path() / name).string(); }
  BuildSummary build(const std::string& name, const std::vector<OperatorShape>& shapes, int jobs = 2,
                     const BuildProgress& progress = {}) const {
    TilingDatabase database(path(name), Mode::kWrite);
    return build_tilings(database, hardware_, shapes, Objective::kCycles, options_, jobs, progress);
  }
  Texts records(const std::string& name) const {
    Texts texts;
    for (const TilingRecord& r : TilingDatabase(path(name), Mode::kRead).records()) texts.push_back(record_texts(r));
    return texts;
  }
};
using DatabaseBuildSlow = DatabaseBuild;

TEST_F(DatabaseBuild, EntersShapesWithTheirBoundary) {
  const BuildSummary summary = build("a.db", shapes_);
  EXPECT_EQ(summary.shapes, 4);
  EXPECT_EQ(summary.entered + summary.below_threshold + summary.not_tiled, 4);
  EXPECT_GT(summary.boundary, 0);
  EXPECT_TRUE(summary.failed.empty());
  const auto all = TilingDatabase(path("a.db"), Mode::kRead).records();
  EXPECT_EQ(std::ssize(all), summary.entered + summary.boundary);
  for (const TilingRecord& r : all) {
    EXPECT_EQ(r.kind == RecordKind::kBoundary, !r.broke.empty());
    if (r.kind == RecordKind::kInitial) continue;
    const OperatorShape parent = parse_operator_shape(r.parent, "parent");
    EXPECT_LT(macs_of(r.shape), macs_of(parent));
    EXPECT_EQ(family_of(r.shape), family_of(parent));
  }
  // The second build finds everything answered.
  const BuildSummary again = build("a.db", shapes_);
  EXPECT_EQ(again.measured, 0);
  EXPECT_EQ(again.reused, summary.measured);
}

TEST_F(DatabaseBuild, IsTheSameForAnyNumberOfWorkers) {
  build("one.db", shapes_, 1);
  build("three.db", shapes_, 3);
  EXPECT_EQ(records("one.db"), records("three.db"));
}

TEST_F(DatabaseBuildSlow, ShardsMergeToOneBuild) {
  build("whole.db", shapes_);
  build("first.db", slice_of(shapes_, {1, 2}));
  build("second.db", slice_of(shapes_, {2, 2}));
  std::vector<std::unique_ptr<TilingDatabase>> shards;
  for (const char* shard : {"second.db", "first.db"})
    shards.push_back(std::make_unique<TilingDatabase>(path(shard), Mode::kRead));
  TilingDatabase(path("merged.db"), Mode::kWrite).merge(shards);
  EXPECT_EQ(records("merged.db"), records("whole.db"));
}

TEST_F(DatabaseBuildSlow, GoesOnAfterBeingKilled) {
  build("whole.db", shapes_);
  int kills = 0;
  std::int64_t known = 0;
  for (bool done = false; !done && kills < 40; ++kills) {
    const pid_t child = fork();
    if (child == 0) {
      int answers = 0;
      build("killed.db", shapes_, 2, [&](std::int64_t, std::int64_t) {
        if (++answers == 7) ::kill(::getpid(), SIGKILL);
      });
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    done = WIFEXITED(status);
    const auto context = context_of(hardware_, Objective::kCycles);
    const auto answers = std::ssize(TilingDatabase(path("killed.db"), Mode::kRead).answers(context));
    if (!done) {
      EXPECT_EQ(answers, known + 7) << "what was measured is kept";
    }
    known = answers;
  }
  EXPECT_GT(kills, 2);
  EXPECT_EQ(records("killed.db"), records("whole.db"));
}

// One file may be built with several; a record says with which.
TEST_F(DatabaseBuild, RecordsSayWhatTheyWereBuiltWith) {
  build("a.db", {shapes_[0]});
  const std::string settings = to_string(options_);
  options_.tolerance = 0.5;
  build("a.db", {shapes_[1]});
  std::set<std::string> found;
  for (const TilingRecord& record : TilingDatabase(path("a.db"), Mode::kRead).records()) found.insert(record.settings);
  EXPECT_EQ(found, (std::set{settings, to_string(options_)}));
}

// A database of another chip makes no other records than its points being measured here, for any number of workers.
TEST_F(DatabaseBuildSlow, BeginsWithTheTilingsOfAnotherChip) {
  build("other.db", shapes_);
  options_.seeds = seeds_of({path("other.db"), Mode::kRead}, shapes_, Objective::kCycles);
  ASSERT_FALSE(options_.seeds.empty());
  hardware_.core.buffer_a /= 4;
  hardware_.core.accumulator /= 2;
  const BuildSummary summary = build("one.db", shapes_, 1);
  EXPECT_TRUE(summary.failed.empty());
  build("three.db", shapes_, 3);
  EXPECT_EQ(records("one.db"), records("three.db"));
  EXPECT_EQ(build("one.db", shapes_).measured, 0);
  const auto all = TilingDatabase(path("one.db"), Mode::kRead).records();
  ASSERT_FALSE(all.empty());
  for (const TilingRecord& r : all) EXPECT_EQ(r.context, context_of(hardware_, Objective::kCycles));
  EXPECT_TRUE(verify_tilings(all, hardware_, 2).empty());
}

TEST_F(DatabaseBuild, VerifyFindsDrift) {
  build("a.db", {shapes_[0], shapes_[1]});
  auto all = TilingDatabase(path("a.db"), Mode::kRead).records();
  ASSERT_GT(all.size(), 1u);
  EXPECT_TRUE(verify_tilings(all, hardware_, 2).empty());
  ++all[1].cost.cycles;
  const auto drifts = verify_tilings(all, hardware_, 2);
  ASSERT_EQ(drifts.size(), 1u);
  EXPECT_THAT(drifts[0].what, testing::HasSubstr("cycles, recorded"));
}

TEST_F(DatabaseBuild, CheckMeasuresWhatLookupPredicts) {
  build("a.db", shapes_);
  const auto context = context_of(hardware_, Objective::kCycles);
  const auto database = std::make_shared<const TilingDatabase>(path("a.db"), Mode::kRead);
  const TilingIndex index(database, context);
  const OperatorShape known = database->records()[0].shape;
  std::vector<OperatorShape> shapes{known, parse_operator_shape("matmul 7_7_7_7 bf16", ""), known};
  std::int64_t measurements = 0;
  const auto checked = check_tilings(index, hardware_, Objective::kCycles, shapes, {}, 2,
                                     [&](std::int64_t, std::int64_t total) { measurements = total; });
  const CheckSummary summary = summary_of(checked, Objective::kCycles);
  EXPECT_EQ(summary.shapes, 3);
  EXPECT_EQ(measurements, 1);  // equal shapes are measured once
  for (const int i : {0, 2}) {
    ASSERT_TRUE(checked[i].hit);
    EXPECT_EQ(checked[i].error(checked[i].hit->predicted, Objective::kCycles), 0);  // the record's own shape
  }
}

// Reuse is held against the best that a search finds, here the closed formulas' tiling, which adds up partial sums of
// several cores: no point can say it, so no record can keep it.
TEST(DatabaseCheck, SearchesWherePointsCannotSayTheBest) {
  const Hardware hardware = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/gemmini_8x8.yaml");
  const OperatorShape shape = parse_operator_shape("conv 1_7_7_384_64_3_3_2 bf16", "");
  TilingRecord record{.context = context_of(hardware, Objective::kCycles), .shape = shape};
  record.point = parse_tiling_point("parts 1x2x1 partition 8x16x576 tile 8x16 order nm/nm hold b", "");
  record.growth_ppm.assign(extents_of(shape).size(), 0);
  record.cost.cycles = 1;
  WorkerPool worker(1, tiling_worker(hardware));
  ASSERT_FALSE(worker.ask({search_query(shape, Objective::kCycles, 2)}).front().ok());

  const TilingIndex index({record}, record.context);
  const auto checked = check_tilings(index, hardware, Objective::kCycles, {shape}, {.search = true, .budget = 2}, 1);
  ASSERT_TRUE(checked[0].searched);
  EXPECT_LT(checked[0].searched->cycles, checked[0].measured->cycles);
  EXPECT_EQ(summary_of(checked, Objective::kCycles).searched, 1);
}

TEST(RandomShapes, AreTheSameForASeedAndInRange) {
  const ShapeRange range{.min_macs = 1 << 20, .max_macs = 1 << 24};
  const auto shapes = random_shapes(60, 5, range), longer = random_shapes(80, 5, range);
  EXPECT_TRUE(std::equal(shapes.begin(), shapes.end(), longer.begin()));
  EXPECT_NE(shapes[0], random_shapes(1, 6, range)[0]);
  for (const OperatorShape& shape : shapes) {
    check(shape, "random");
    EXPECT_LE(macs_of(shape), range.max_macs);
  }
}

TEST(Shapes, OfAFileNameTheLineAtFault) {
  const ScratchFolder scratch("shapes");
  const std::string path = (scratch.path() / "shapes.txt").string();
  std::ofstream(path) << "# two\nmatmul 1_2_3_4 bf16\n\nconv 1_2_3 bf16\n";
  try {
    read_shapes(path);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()), path + ":4: 3 sizes for a conv, expected 8 (N,H,W,Ci,Co,Kh,Kw,S)");
  }
}

}  // namespace
}  // namespace tilewright
