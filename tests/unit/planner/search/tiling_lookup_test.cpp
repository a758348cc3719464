#include "planner/search/database/tiling_lookup.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

TilingRecord record(const std::string& shape, const std::string& point, Cycles cycles,
                    RecordKind kind = RecordKind::kInitial) {
  TilingRecord r{.shape = parse_operator_shape(shape, "test"), .kind = kind};
  r.point = parse_tiling_point(point, "test");
  r.cost.cycles = cycles;
  r.cost.energy_pj = 10 * cycles;
  r.growth_ppm.assign(extents_of(r.shape).size(), 1'000'000);
  return r;
}

std::optional<Hit> lookup(const std::vector<TilingRecord>& records, const std::string& shape,
                          const LookupOptions& options = {}) {
  return TilingIndex(records, TilingContext{}).lookup(parse_operator_shape(shape, "test"), options);
}

constexpr const char* kPoint = "parts 1x1x1 partition 32x32x64 tile 32x16 order mn/nm hold b";

TEST(Padding, TakesTheLeastMultipleOfTheGranule) {
  // The method's example: 13 with a granule of 5 becomes 15.
  EXPECT_THAT(*pad_to_granules({13}, {5}, {5}), testing::ElementsAre(15));
  EXPECT_THAT(*pad_to_granules({20}, {5}, {5}), testing::ElementsAre(20));
  EXPECT_THAT(*pad_to_granules({13}, {10}, {5}), testing::ElementsAre(15));  // three rounds, the entry has two
  EXPECT_FALSE(pad_to_granules({5}, {10}, {5}));                             // one round, the entry has two
}

TEST(Rounds, AreTheMethodsFormula) {
  // a' = a * prod ceil(dim' / h) / ceil(dim / h), N H W Ci Co.
  EXPECT_DOUBLE_EQ(rounds_ratio({2, 13, 7, 64, 48}, {1, 5, 7, 32, 32}, {1, 5, 7, 32, 16}), 2.0 * 3 * 1 * 2 * 1.5);
}

TEST(Granules, OfAProductAreAllCoresPartitions) {
  const OperatorShape shape = parse_operator_shape("matmul 4_256_128_512 bf16", "test");
  const TilingPoint point = parse_tiling_point("parts 2x4x2 partition 32x16x256 tile 32x16 order mn/nm hold b", "test");
  EXPECT_THAT(granules_of(point, shape), testing::ElementsAre(2, 128, 32, 256));
}

TEST(Granules, OfAConvolutionAreWholeRowsOrImages) {
  const OperatorShape shape = parse_operator_shape("conv 4_14_14_64_32_3_3_1 bf16", "test");
  EXPECT_THAT(
      granules_of(parse_tiling_point("parts 1x2x1 partition 8x392x288 tile 8x16 order mn/nm hold b", ""), shape),
      testing::ElementsAre(2, 14, 14, 32, 16));
  EXPECT_THAT(granules_of(parse_tiling_point("parts 2x1x2 partition 8x28x576 tile 8x16 order mn/nm hold b", ""), shape),
              testing::ElementsAre(2, 4, 14, 64, 8));
}

TEST(CutTo, LeavesNothingLongerThanTheShape) {
  const OperatorShape shape = parse_operator_shape("matmul 1_20_8_30 bf16", "test");
  const TilingPoint point = parse_tiling_point("parts 1x2x16 partition 32x32x64 tile 32x16 order mn/nm hold b", "test");
  EXPECT_EQ(to_string(cut_to(point, shape)), "parts 1x2x8 partition 10x1x30 tile 10x1 order mn/nm hold b");
}

TEST(Extents, OfAStridedConvolutionAreOutputs) {
  const OperatorShape shape = parse_operator_shape("conv 1_56_57_64_32_3_3_2 bf16", "test");
  EXPECT_THAT(extents_of(shape), testing::ElementsAre(1, 28, 29, 64, 32));
  EXPECT_EQ(to_string(with_extents(shape, {1, 14, 29, 64, 32})), "conv 1_28_58_64_32_3_3_2 bf16");
}

TEST(Extents, OfAConvolutionThatIsNotAlikeOnAllSides) {
  const OperatorShape shape = parse_operator_shape("conv 1_8_9_16_32_3_3_2 bf16 pad=0_0_1_1 stride_w=1", "test");
  EXPECT_THAT(extents_of(shape), testing::ElementsAre(1, 4, 8, 16, 32));
  EXPECT_EQ(to_string(with_extents(shape, {1, 2, 8, 16, 32})), "conv 1_4_9_16_32_3_3_2 bf16 pad=0_0_1_1 stride_w=1");
  EXPECT_EQ(family_of(shape), "conv bf16 3x3 stride 2x1 pad 0-1x0-1");
  EXPECT_NE(family_of(shape), family_of(parse_operator_shape("conv 1_8_9_16_32_3_3_2 bf16 stride_w=1", "test")));
}

TEST(Extents, OfGroupsGrowByGroups) {
  const OperatorShape shape = parse_operator_shape("conv 1_14_14_64_128_3_3_1 bf16 groups=32", "test");
  EXPECT_THAT(extents_of(shape), testing::ElementsAre(1, 14, 14, 32));
  EXPECT_EQ(to_string(with_extents(shape, {1, 14, 14, 64})), "conv 1_14_14_128_256_3_3_1 bf16 groups=64");
  EXPECT_EQ(family_of(shape), family_of(with_extents(shape, {1, 14, 14, 64})));
}

TEST(Lookup, TakesTheFirstStepThatHits) {
  const auto initial = record("matmul 1_64_64_64 bf16", kPoint, 1000);
  const auto boundary = record("matmul 1_64_64_64 bf16", kPoint, 10, RecordKind::kBoundary);
  const auto small = record("matmul 1_32_32_64 bf16", kPoint, 20);
  const auto smaller = record("matmul 1_32_32_64 bf16", kPoint, 1, RecordKind::kBoundary);
  EXPECT_EQ(lookup({initial, boundary, small, smaller}, "matmul 1_64_64_64 bf16")->match, MatchKind::kInitialSame);
  EXPECT_EQ(lookup({boundary, small, smaller}, "matmul 1_64_64_64 bf16")->match, MatchKind::kBoundarySame);
  EXPECT_EQ(lookup({small, smaller}, "matmul 1_64_64_64 bf16")->match, MatchKind::kInitialMultiple);
  EXPECT_EQ(lookup({smaller}, "matmul 1_64_64_64 bf16")->match, MatchKind::kBoundaryMultiple);
  EXPECT_FALSE(lookup({initial}, "matmul 1_32_64_64 bf16"));
}

TEST(Lookup, PredictsByRounds) {
  const auto hit = lookup({record("matmul 1_32_32_64 bf16", kPoint, 100)}, "matmul 1_96_64_128 bf16");
  ASSERT_TRUE(hit);
  EXPECT_DOUBLE_EQ(hit->rounds, 3 * 2 * 2);
  EXPECT_DOUBLE_EQ(hit->proportional.cycles, 1200);
  EXPECT_DOUBLE_EQ(hit->proportional.energy_pj, 12000);
  EXPECT_TRUE(hit->linear);
  EXPECT_DOUBLE_EQ(hit->padding, 0);
}

TEST(Lookup, PadsAndCountsThePadding) {
  const auto hit = lookup({record("matmul 1_32_32_64 bf16", kPoint, 100)}, "matmul 1_90_64_128 bf16");
  ASSERT_TRUE(hit);
  EXPECT_THAT(hit->padded, testing::ElementsAre(1, 96, 64, 128));
  EXPECT_DOUBLE_EQ(hit->proportional.cycles, 1200);
  EXPECT_NEAR(hit->padding, 96.0 / 90 - 1, 1e-12);
  EXPECT_FALSE(hit->linear);  // more padded work than the region allows
  EXPECT_FALSE(lookup({record("matmul 1_32_32_64 bf16", kPoint, 100)}, "matmul 1_66_64_128 bf16"));
}

TEST(Lookup, FixedCostLeavesTheLinearRegion) {
  auto entry = record("matmul 1_32_32_64 bf16", kPoint, 100);
  entry.growth_ppm[1] = 950'000;  // doubling M costs 1.9 times as much: a tenth of the cost is fixed
  const auto hit = lookup({entry}, "matmul 1_320_32_64 bf16");
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->linearity, (100 + 9 * 90) / 1000.0, 1e-12);
  EXPECT_FALSE(hit->linear);
  EXPECT_TRUE(lookup({entry}, "matmul 1_32_320_64 bf16")->linear);
}

TEST(Lookup, FarFromItsRecordLeavesTheLinearRegion) {
  const auto entry = record("matmul 1_32_32_64 bf16", kPoint, 100);
  const LookupOptions options{.region_tolerance = 0.02, .extrapolation = 0.01};
  EXPECT_TRUE(lookup({entry}, "matmul 1_256_32_64 bf16", options)->linear);   // three doublings: 2 %
  EXPECT_FALSE(lookup({entry}, "matmul 1_288_32_64 bf16", options)->linear);  // one round more
  EXPECT_FALSE(lookup({entry}, "matmul 1_256_64_64 bf16", options)->linear);
}

// 160 rows on two cores, 32 each at a time, take three rounds, 320 take five: rounds grow less than the size.
TEST(Lookup, RoundsThatAreNotFullLeaveTheLinearRegion) {
  constexpr const char* kTwoParts = "parts 1x2x1 partition 32x32x64 tile 32x16 order mn/nm hold b";
  const auto hit = lookup({record("matmul 1_160_32_64 bf16", kTwoParts, 100)}, "matmul 1_320_32_64 bf16");
  ASSERT_TRUE(hit);
  EXPECT_DOUBLE_EQ(hit->rounds, 5.0 / 3);
  EXPECT_FALSE(hit->linear);
  EXPECT_TRUE(lookup({record("matmul 1_128_32_64 bf16", kTwoParts, 100)}, "matmul 1_256_32_64 bf16")->linear);
}

TEST(Lookup, LeavesOtherFamiliesAndContextsAlone) {
  auto entry = record("matmul 1_32_32_64 bf16", kPoint, 100);
  EXPECT_FALSE(lookup({entry}, "matmul 1_32_32_64 int8"));
  EXPECT_FALSE(lookup({entry}, "matmul 1_32_32_64 bf16 tb"));
  entry.context.hardware = "another chip";
  EXPECT_FALSE(lookup({entry}, "matmul 1_32_32_64 bf16"));
}

// Rounds of the granule, not copies of the entry: 320 is no multiple of 256.
TEST(Lookup, WholeRoundsNeedBeNoMultiplesOfTheEntry) {
  const auto hit = lookup({record("matmul 1_256_32_64 bf16", kPoint, 800)}, "matmul 1_320_32_64 bf16");
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->match, MatchKind::kInitialMultiple);
  EXPECT_DOUBLE_EQ(hit->proportional.cycles, 1000);
  EXPECT_DOUBLE_EQ(hit->padding, 0);
  EXPECT_FALSE(lookup({record("matmul 1_256_32_64 bf16", kPoint, 800)}, "matmul 1_192_32_64 bf16"));
}

const Hardware& chip() {
  static const Hardware chip = load_hardware_text(
      "name: chip\nclusters: 1\ncores_per_cluster: 1\ncore:\n  frequency_mhz: 1000\n  buffer_a_kib: 32\n  "
      "buffer_b_kib: 32\n  "
      "accumulator_kib: 32\n  matmul: {rows: 16, columns: 16}\n  vector: {lanes: 16}\nnetwork: {topology: simple}\n"
      "dram: {preset: HBM2_2000, channels: 2}\n",
      "chip");
  return chip;
}

TEST(Lookup, SkipsWhatTheChipCannotHold) {
  constexpr const char* kTooLarge = "parts 1x1x1 partition 256x256x256 tile 256x256 order mn/nm hold b";
  const auto cheap = record("matmul 1_256_256_256 bf16", kTooLarge, 100);
  const auto dear = record("matmul 1_128_128_128 bf16", kPoint, 900);
  const OperatorShape shape = parse_operator_shape("matmul 1_512_256_256 bf16", "");
  const TilingIndex index({cheap, dear}, TilingContext{});
  EXPECT_EQ(index.lookup(shape)->record->cost.cycles, 100);
  EXPECT_EQ(lookup_on(index, shape, chip())->record->cost.cycles, 900);
}

// The record's cost times what the model of time makes of the other size; without change of size the record's own.
TEST(Lookup, PredictsByTheModelOfTimeToo) {
  const TilingIndex index({record("matmul 1_64_64_64 bf16", kPoint, 5000)}, TilingContext{});
  const auto same = lookup_on(index, parse_operator_shape("matmul 1_64_64_64 bf16", ""), chip(), {.predict = false});
  ASSERT_TRUE(same);
  EXPECT_DOUBLE_EQ(same->predicted.cycles, 5000);
  const auto grown = lookup_on(index, parse_operator_shape("matmul 1_256_64_64 bf16", ""), chip(), {.predict = false});
  ASSERT_TRUE(grown);
  EXPECT_DOUBLE_EQ(grown->proportional.cycles, 20000);
  EXPECT_LT(grown->predicted.cycles, 20000);  // first loads and last stores do not grow
  EXPECT_GT(grown->predicted.cycles, 10000);
  EXPECT_DOUBLE_EQ(grown->expected(Objective::kCycles), 20000);
}

// What is switched grows with the rounds, static power with the time.
TEST(Lookup, PredictsEnergyByRoundsAndTimeWithoutTheQueueModel) {
  Hardware hardware = chip();
  hardware.energy.static_watts = 0.5;
  TilingRecord known = record("matmul 1_64_64_64 bf16", kPoint, 5000);
  known.cost.energy_pj = 9'000'000;
  const double static_pj = 0.5 * 5000 * static_cast<double>(hardware.core_clock.period_ps);
  const TilingIndex index({known}, TilingContext{});
  const auto grown =
      lookup_on(index, parse_operator_shape("matmul 1_256_64_64 bf16", ""), hardware, {.predict = false});
  ASSERT_TRUE(grown);
  EXPECT_DOUBLE_EQ(grown->proportional.energy_pj, 36'000'000);
  EXPECT_NEAR(grown->predicted.energy_pj, 4 * (9'000'000 - static_pj) + grown->predicted.cycles / 5000 * static_pj, 1);
  EXPECT_LT(grown->predicted.energy_pj, grown->proportional.energy_pj);
  EXPECT_FALSE(grown->bound(Objective::kEnergy));
}

TEST(Cells, AreFourTimesAsLargeEach) {
  EXPECT_EQ(cell_of({1, 3, 4, 15, 16, 4095, 4096}), "aabbcfg");
  EXPECT_TRUE(within("abc", "abc"));
  EXPECT_TRUE(within("aac", "abc"));
  EXPECT_FALSE(within("abd", "abc"));
}

// The definition, record by record; the index reads few of them.
std::optional<double> least_predicted(const std::vector<TilingRecord>& records, const OperatorShape& query) {
  const ShapeExtents extents = extents_of(query);
  for (int step = 0; step < kMatchKindCount; ++step) {
    std::optional<double> best;
    for (const TilingRecord& r : records) {
      if ((r.kind == RecordKind::kInitial) != (step % 2 == 0)) continue;
      const ShapeExtents entry = extents_of(r.shape), granules = granules_of(r.point, r.shape);
      if (step < 2 && r.shape.dims != query.dims) continue;
      const auto padded = pad_to_granules(extents, entry, granules);
      if (!padded || size_of(*padded) / size_of(extents) - 1 > LookupOptions{}.max_padding) continue;
      const double cost = rounds_ratio(*padded, entry, granules) * static_cast<double>(r.cost.cycles);
      best = std::min(best.value_or(cost), cost);
    }
    if (best) return best;
  }
  return {};
}

TEST(LookupProperty, BestOfTheFirstStepWithAHit) {
  EXPECT_TRUE(rc::check([] {
    std::vector<TilingRecord> records;
    const int count = *rc::gen::inRange(1, 60);
    const auto extent = [] { return *rc::gen::element(1, 16) * *rc::gen::inRange(1, 40); };
    const auto shape = [&] { return OperatorShape{.dims = {1, extent(), extent(), extent()}}; };
    for (int i = 0; i < count; ++i) {
      const auto piece = [&](std::int64_t length) {
        return std::max<std::int64_t>(1, length >> *rc::gen::inRange(0, 4));
      };
      TilingRecord r = record(to_string(shape()), kPoint, *rc::gen::inRange(100, 100000),
                              *rc::gen::element(RecordKind::kInitial, RecordKind::kBoundary));
      r.point.partition_m = r.point.tile_m = piece(r.shape.dims[1]);
      r.point.partition_n = r.point.tile_n = piece(r.shape.dims[2]);
      r.point.partition_k = piece(r.shape.dims[3]);
      r.parent = std::to_string(i);  // keys differ
      records.push_back(r);
    }
    const OperatorShape query = *rc::gen::inRange(0, 3) == 0 ? records.front().shape : shape();
    const auto hit = TilingIndex(records, TilingContext{}).lookup(query);
    const std::optional<double> best = least_predicted(records, query);
    RC_ASSERT(hit.has_value() == best.has_value());
    if (best) RC_ASSERT(std::abs(hit->proportional.cycles - *best) < 1e-6 * *best);
  }));
}

}  // namespace
}  // namespace tilewright
