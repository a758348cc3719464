#include "validation/wormhole.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>

#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr FamilyLimit kTensixLimit{20};
// Products of 16384 and more a side: blocks of K by the thousand.
constexpr double kLargeMultiplyAdds = 1e12;
constexpr std::int64_t kMostTiles = 4096;
// Longer products are told from their first and second block of C.
constexpr int kBlocksRun = 2;

// The shortest row of each chip, the longest, and the longest whose operands reach the array too slowly.
constexpr std::array<std::string_view, 5> kTensixParameterRows{
    "wormhole_n150/gemm/512x512x512/bfloat4_b/LoFi/L1-L1",
    "wormhole_n150/gemm/16384x16384x16384/bfloat16/HiFi4/DRAM-DRAM",
    "wormhole_n150/gemm/3072x3072x3072/bfloat16/HiFi2/L1-L1", "blackhole_p150/gemm/640x832x832/bfloat4_b/LoFi/L1-L1",
    "blackhole_p150/gemm/20480x26624x26624/bfloat16/HiFi4/DRAM-DRAM"};

// What docs/validation.md says of these figures.
struct Tensix {
  double handover_cycles;         // of a product of two tiles, beside the passes of its fidelity
  double unpack_bytes_per_cycle;  // from L1 to the array
  double dram_bytes_per_cycle;    // of the roofline
};
constexpr Tensix kWormhole{4, 48, 288}, kBlackhole{0, 72, 512.0 / 1.35};

template <typename Value, std::size_t N>
Value chosen(const CsvRow& row, const char* column, const std::array<std::pair<const char*, Value>, N>& known) {
  for (const auto& [name, value] : known)
    if (row.text(column) == name) return value;
  throw UserError(row.where(), fmt::format("{}: got '{}', which is not in this table", column, row.text(column)));
}

// Sixteen elements of a block format share a byte of exponent.
Bytes tensix_tile_bytes(const CsvRow& row) {
  return chosen<Bytes, 3>(row, "dtype", {{{"bfloat16", 2048}, {"bfloat8_b", 1088}, {"bfloat4_b", 576}}});
}

double fidelity_passes(const CsvRow& row) {
  return chosen<double, 3>(row, "math_fidelity", {{{"LoFi", 1}, {"HiFi2", 2}, {"HiFi4", 4}}});
}

bool is_blackhole(const CsvRow& row) {
  return chosen<bool, 2>(row, "device", {{{"wormhole_n150", false}, {"blackhole_p150", true}}});
}

bool in_cores(const CsvRow& row, const char* column) {
  return chosen<bool, 2>(row, column, {{{"L1 block-sharded", true}, {"DRAM interleaved", false}}});
}

int tiles(const CsvRow& row, const char* column, std::int64_t side = 1) {
  const std::int64_t count = row.count(column) / side;
  if (count < 1 || count > kMostTiles)
    throw UserError(row.where(), fmt::format("{}: {} tiles, expected 1 to {}", column, count, kMostTiles));
  return static_cast<int>(count);
}

// Of a product of two tiles: the passes of the array, or the tiles of a subblock on their way to it.
double cycles_per_tile(const CsvRow& row, const Tensix& chip) {
  const double h = static_cast<double>(row.count("out_subblock_h")),
               w = static_cast<double>(row.count("out_subblock_w"));
  const double unpacked = (h + w) / (h * w) * static_cast<double>(tensix_tile_bytes(row)) / chip.unpack_bytes_per_cycle;
  return std::max(16 * fidelity_passes(row) + chip.handover_cycles, unpacked);
}

const Tensix& tensix_of(const CsvRow& row) { return is_blackhole(row) ? kBlackhole : kWormhole; }

double product_cycles(Session& chip, const std::string& name, const MulticastProduct& product, int blocks) {
  const Program program = multicast_product_program(chip.hardware(), name, product, blocks);
  const RunResult result = chip.run(program);
  const auto op = std::find(program.operators.begin(), program.operators.end(), kMulticastProducts);
  const auto end = result.operators[static_cast<std::size_t>(op - program.operators.begin())].end;
  return static_cast<double>(end) / static_cast<double>(chip.hardware().core_clock.period_ps);
}

// Every block of C behind the first takes as long as the second.
double row_cycles(const CsvRow& row, Session& chip) {
  const MulticastProduct product = tensix_product(row);
  const std::string& name = row.text("id");
  const int blocks = product.blocks();
  if (blocks <= kBlocksRun) return product_cycles(chip, name, product, blocks);
  const double first = product_cycles(chip, name, product, 1), both = product_cycles(chip, name, product, kBlocksRun);
  return first + (blocks - 1) * (both - first);
}

double area_of(const CsvRow& row, const char* a, const char* b) {
  return static_cast<double>(row.count(a)) * static_cast<double>(row.count(b));
}

double roofline_cycles(const CsvRow& row) {
  const auto area = [&](const char* a, const char* b) { return area_of(row, a, b); };
  double elements = area("K", "N");
  if (!in_cores(row, "in0_memory")) elements += area("M", "K");
  if (!in_cores(row, "out_memory")) elements += area("M", "N");
  const double bytes = elements * static_cast<double>(tensix_tile_bytes(row)) / (kTileSide * kTileSide);
  return std::max(row.number("ideal_cycles"), bytes / tensix_of(row).dram_bytes_per_cycle);
}

SiliconCandidate tensix_candidate(const CsvRow& row) {
  tensix_product(row);
  const bool parameter =
      std::find(kTensixParameterRows.begin(), kTensixParameterRows.end(), row.text("id")) != kTensixParameterRows.end();
  return {.family = std::string(is_blackhole(row) ? "blackhole" : "wormhole") +
                    (in_cores(row, "in0_memory") ? ", A in L1" : ", A in DRAM"),
          .parameter = parameter,
          .large = area_of(row, "M", "N") * static_cast<double>(row.count("K")) > kLargeMultiplyAdds,
          .limit = kTensixLimit};
}

SiliconRow run_tensix_row(const CsvRow& row, const TensixChips& chips) {
  return {.name = row.text("id"),
          .measured = row.number("device_cycles"),
          .ours = row_cycles(row, is_blackhole(row) ? chips.blackhole : chips.wormhole),
          .roofline = roofline_cycles(row)};
}

}  // namespace

MulticastProduct tensix_product(const CsvRow& row) {
  static const std::regex pattern("([0-9]{1,3})x([0-9]{1,3})");
  std::smatch grid;
  const std::string text = row.text("grid");
  if (!std::regex_match(text, grid, pattern))
    throw UserError(row.where(), fmt::format("grid: got '{}', expected columns x rows of cores as 8x8", text));
  if (row.text("in0_block_w").empty()) throw UserError(row.where(), row.text("id") + ": no tiling is given");
  return {.rows = std::stoi(grid[2]),
          .columns = std::stoi(grid[1]),
          .core_m = tiles(row, "per_core_M"),
          .core_n = tiles(row, "per_core_N"),
          .block_m = tiles(row, "out_block_h"),
          .block_n = tiles(row, "out_block_w"),
          .block_k = tiles(row, "in0_block_w"),
          .k = tiles(row, "K", kTileSide),
          .tile_bytes = tensix_tile_bytes(row),
          .cycles_per_tile = cycles_per_tile(row, tensix_of(row)),
          .a_in_cores = in_cores(row, "in0_memory"),
          .c_in_cores = in_cores(row, "out_memory")};
}

ValidationReport validate_wormhole(const std::string& csv_path, const TensixChips& chips, const SiliconSample& sample) {
  return validate_silicon(csv_path, sample,
                          {.title = "Wormhole and Blackhole",
                           .reference = "measured, tt-metal's GEMM report, copy b1929a9bfeda",
                           .unit = "cycles",
                           .candidate = tensix_candidate,
                           .run = [&](const CsvRow& row) { return run_tensix_row(row, chips); }});
}

}  // namespace tilewright
