// How long a look-up takes in a tiling database, by its number of records: drawn ones, whose cost follows the work of
// their rounds. The file is made once, in the folder for temporary files.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <filesystem>

#include "planner/search/database/tiling_lookup.h"
#include "sim/base/random.h"

namespace tilewright {
namespace {

class Dice : public SplitMix64 {
 public:
  using SplitMix64::SplitMix64;
  // About as many of each octave of `low` to `high`, half of them multiples of 16.
  std::int64_t extent(double low, double high) {
    const auto value = static_cast<std::int64_t>(low * std::exp2(unit_interval() * std::log2(high / low)));
    return below(2) == 0 ? value : round_up<std::int64_t>(value, 16);
  }
};

OperatorShape drawn_shape(Dice& dice) {
  return {.dims = {1, dice.extent(16, 4096), dice.extent(16, 4096), dice.extent(16, 4096)}};
}

TilingRecord drawn_record(Dice& dice, const TilingContext& context) {
  TilingRecord record{.context = context, .shape = drawn_shape(dice)};
  if (dice.below(4) != 0) record.kind = RecordKind::kBoundary, record.parent = "matmul 1_4096_4096_4096 bf16";
  const auto piece = [&](std::int64_t extent) { return std::max<std::int64_t>(1, extent >> dice.below(4)); };
  TilingPoint& p = record.point;
  p.partition_m = p.tile_m = piece(record.shape.dims[1]);
  p.partition_n = p.tile_n = piece(record.shape.dims[2]);
  p.partition_k = piece(record.shape.dims[3]);
  const ShapeExtents extents = extents_of(record.shape);
  const double work = padded_size(extents, granules_of(p, record.shape));
  record.cost.cycles = 1 + std::llround(work / 256 * (1 + static_cast<double>(dice.below(1000)) / 500));
  record.growth_ppm.assign(extents.size(), 950'000 + dice.below(100'000));
  return record;
}

// The file of so many records, made at its first use.
std::string file_of(std::int64_t records, const TilingContext& context) {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("tilewright_database_bench_{}.db", records)).string();
  if (std::filesystem::exists(path)) return path;
  constexpr std::int64_t kAtOnce = 10'000;
  TilingDatabase database(path, TilingDatabase::Mode::kWrite);
  Dice dice(1);
  while (database.size() < records) {
    std::vector<TilingRecord> some;
    for (std::int64_t i = std::min(kAtOnce, records - database.size()); i > 0; --i)
      some.push_back(drawn_record(dice, context));
    database.put(some);
  }
  return path;
}

const TilingContext kContext{.hardware = "0123456789abcdef", .simulator = "bench"};

double megabytes_used() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// As `tilewright db lookup` begins: the file is opened for the one question.
void first_lookup(benchmark::State& state) {
  const std::string path = file_of(state.range(0), kContext);
  Dice dice(2);
  for (auto _ : state) {
    const TilingIndex index(std::make_shared<const TilingDatabase>(path, TilingDatabase::Mode::kRead), kContext);
    benchmark::DoNotOptimize(index.lookup(drawn_shape(dice)));
  }
}

void next_lookup(benchmark::State& state) {
  const std::string path = file_of(state.range(0), kContext);
  const TilingIndex index(std::make_shared<const TilingDatabase>(path, TilingDatabase::Mode::kRead), kContext);
  Dice dice(3);
  std::int64_t asked = 0, found = 0;
  for (auto _ : state) found += index.lookup(drawn_shape(dice)).has_value(), ++asked;
  state.counters["hits"] = static_cast<double>(found) / static_cast<double>(asked);
  state.counters["MB"] = megabytes_used();
}

BENCHMARK(first_lookup)->RangeMultiplier(10)->Range(10'000, 1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(next_lookup)->RangeMultiplier(10)->Range(10'000, 1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilewright
