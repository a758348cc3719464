// Cycles of the overlapped weight-stationary array against Gemmini's RTL: the tiling of each row is expanded into one
// ArrayWork per inner tile, and the tiles follow each other by start = previous start + previous occupancy + issue.
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "sim/hw/matmul_timing.h"
#include "sim/hw/resolve.h"
#include "tests/reference/matmul/csv.h"

namespace tilewright {
namespace {

// One group of a mapping, e.g. "[I] N1 C448 M64" -> {N: 1, C: 448, M: 64, P: 1, ...}.
std::map<char, std::int64_t> group(const std::string& mapping, char name) {
  std::map<char, std::int64_t> sizes;
  for (char dimension : std::string("NCMPQSR")) sizes[dimension] = 1;
  std::string text = mapping.substr(mapping.find(std::string("[") + name + "]") + 3);
  text = text.substr(0, text.find(" -"));
  static const std::regex entry("([A-Z])([0-9]+)");
  for (std::sregex_iterator it(text.begin(), text.end(), entry), end; it != end; ++it)
    sizes[(*it)[1].str()[0]] = std::stoll((*it)[2].str());
  return sizes;
}

// The tiles of one dimension: the inner size, and what is left for the last one.
std::vector<std::int64_t> pieces(std::int64_t total, std::int64_t inner) {
  std::vector<std::int64_t> sizes;
  for (; total > 0; total -= inner) sizes.push_back(std::min(total, inner));
  return sizes;
}

struct Tile {
  std::int64_t stream, run, deep, across;
};

// Channels are cut at whole 8-blocks, as Gemmini addresses its scratchpad. In a GEMM N counts rows, M columns.
std::vector<Tile> tiles_of(const std::string& mapping, bool conv) {
  auto total = group(mapping, 'T'), inner = group(mapping, 'I');
  std::vector<Tile> tiles;
  for (std::int64_t n : pieces(total['N'], inner['N']))
    for (std::int64_t p : pieces(total['P'], inner['P']))
      for (std::int64_t q : pieces(total['Q'], inner['Q']))
        for (std::int64_t m : pieces(total['M'], inner['M']))
          for (std::int64_t c : pieces(total['C'], round_up<std::int64_t>(inner['C'], 8)))
            tiles.push_back({n * p * q, conv ? q : 0, round_up<std::int64_t>(c, 8) * total['S'] * total['R'], m});
  return tiles;
}

Cycles simulate(const MatmulSpec& spec, const std::vector<Tile>& tiles) {
  Cycles free = 0, finish = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const Tile& tile = tiles[i];
    ArrayTime time = array_time(spec, {.m = tile.stream, .n = tile.across, .k = tile.deep, .run = tile.run});
    free += spec.issue_cycles + (i == 0 ? time.fill : 0) + time.occupancy;
    finish = free + time.drain;
  }
  return finish;
}

MatmulSpec gemmini() { return load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/gemmini_8x8.yaml").core.matmul; }

TEST(Gemmini, GemmWithinTwoAndConvolutionWithinSixPercentOfTheRtl) {
  MatmulSpec spec = gemmini();
  for (CsvRow& row : read_csv(TILEWRIGHT_SOURCE_DIR "/tests/reference/matmul/gemmini.csv")) {
    bool conv = row["kind"] == "conv";
    double rtl = std::stod(row["gemmini_cycles"]);
    Cycles ours = simulate(spec, tiles_of(row["mapping"], conv));
    double difference = 100 * (static_cast<double>(ours) / rtl - 1);
    std::printf("%-32s RTL %9.0f  ours %9lld  %+.2f %%\n", row["test"].c_str(), rtl, static_cast<long long>(ours),
                difference);
    EXPECT_LT(std::fabs(difference), conv ? 6.0 : 2.0) << row["test"];
  }
}

// With ONNXim's own rules (no cost per instruction) the model needs ONNXim's cycles: its GEMM rows without edge tiles.
TEST(Gemmini, WithoutIssueCostTheIdealCyclesOfOnnximRemain) {
  MatmulSpec spec = gemmini();
  spec.issue_cycles = 0;
  int compared = 0;
  for (CsvRow& row : read_csv(TILEWRIGHT_SOURCE_DIR "/tests/reference/matmul/gemmini.csv")) {
    if (row["kind"] != "gemm") continue;
    double onnxim = std::stod(row["onnxim_compute_cycles"]);
    double ours = static_cast<double>(simulate(spec, tiles_of(row["mapping"], false)));
    EXPECT_NEAR(ours / onnxim, 1, 0.009) << row["test"];  // ONNXim rounds a K tile of 342 up to 43 blocks each
    ++compared;
  }
  EXPECT_EQ(compared, 7);
}

}  // namespace
}  // namespace tilewright
