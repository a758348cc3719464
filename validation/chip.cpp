#include "validation/chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>

#include "planner/search/tiling/plan_network.h"
#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "validation/graph_maker.h"

namespace tilewright {
namespace {

constexpr Bytes kElement = 2, kSum = 4;
constexpr std::int64_t kHalves = 2;  // of scratchpad and accumulator: one is loaded while the other is in use

// The longest side of a tile in blocks: square output tiles that fill half of the accumulator, and strips of K that
// fill half of the scratchpad's half.
struct Limits {
  std::int64_t side, deep;
};

Limits limits_of(const Hardware& hardware) {
  const std::int64_t block = hardware.core.matmul.rows;
  const Bytes scratchpad = hardware.core.buffer_a + hardware.core.buffer_b;
  const std::int64_t sums = hardware.core.accumulator / (block * kSum * kHalves) / block;
  const std::int64_t operands = scratchpad / (block * kElement * kHalves) / kHalves / block;
  const auto side = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::sqrt(static_cast<double>(sums))));
  return {side, std::max<std::int64_t>(1, operands / side)};
}

// Elements of a tile when `length` is divided into `tiles`, rounded down to whole blocks.
std::int64_t inner_of(std::int64_t length, std::int64_t tiles, std::int64_t block) {
  const std::int64_t inner = ceil_div(round_up(length, block), tiles);
  return std::max(block, inner / block * block);
}

// Neighbouring tiles of one core along one dimension, so that no core has more than its share.
std::int64_t cores_along(std::int64_t tiles, std::int64_t cores) {
  for (std::int64_t parts = std::min(tiles, cores); parts > 1; --parts)
    if (cores % parts == 0 && tiles % parts == 0) return parts;
  return 1;
}

std::vector<Range> parts_of(std::int64_t length, std::int64_t tile, std::int64_t tiles, std::int64_t parts) {
  std::vector<Range> ranges;
  const std::int64_t step = ceil_div(tiles, parts) * tile;
  for (std::int64_t begin = 0; begin < length; begin += step) ranges.push_back({begin, std::min(length, begin + step)});
  return ranges;
}

Tiling tiling_of(const Hardware& hardware, const OnnximTiles& tiles, const WorkItem& item, std::int64_t k) {
  const std::int64_t block = hardware.core.matmul.rows;
  Tiling tiling;
  tiling.partition_m = std::min(tiles.m, item.output[0].size());
  tiling.partition_n = std::min(tiles.n, item.output[1].size());
  tiling.partition_k = std::min(tiles.k, k);
  tiling.tile_m = std::min(block, tiling.partition_m);
  tiling.tile_n = std::min(block, tiling.partition_n);
  tiling.need_splitk = tiling.use_acc_buffer = tiling.partition_k < k;
  tiling.reason = "ONNXim's";
  return tiling;
}

Tiling conv_tiling_of(const Hardware& hardware, const OnnximConvTiles& tiles, const WorkItem& item,
                      std::int64_t channels, std::int64_t kernel) {
  const std::int64_t rows = std::min(tiles.p, item.output[2].size()), columns = item.output[3].size();
  Tiling tiling;
  tiling.partition_m = std::min(tiles.m, item.output[1].size());
  tiling.partition_n = tiles.q < columns ? tiles.q : rows * columns;
  // Weights come block by block: the first product need not wait for those of all channels.
  tiling.partition_k = std::min<std::int64_t>({tiles.c, channels, hardware.core.matmul.rows}) * kernel;
  tiling.need_splitk = tiling.use_acc_buffer = tiling.partition_k < channels * kernel;
  tiling.tile_m = std::min<std::int64_t>(hardware.core.matmul.columns, tiling.partition_m);
  tiling.tile_n = tiling.partition_n;
  tiling.a_stationary = true;  // A of a convolution are its weights
  tiling.reason = "ONNXim's";
  return tiling;
}

constexpr double kGivenTilingBand = 10;
// For rows in which ONNXim does not read what it multiplies: of a convolution's weights it reads one filter per block.
constexpr double kUnreadBand = 5;

struct ChipCase {
  Graph graph;
  Bytes operands = 0;  // inputs and weights
  OperatorChoice onnxim;
};

ChipCase gemm_case(const CsvRow& row, const Hardware& hardware) {
  const std::int64_t m = row.count("M"), n = row.count("N"), k = row.count("K");
  const OnnximTiles tiles = onnxim_tiles(hardware, m, n, k);
  const std::string outer = fmt::format("{}x{}x{}", tiles.outer_m, tiles.outer_k, tiles.outer_n);
  const std::string inner = fmt::format("{}x{}x{}", tiles.m, tiles.k, tiles.n);
  if (outer != row.text("outer_MKN") || inner != row.text("inner_MKN"))
    throw UserError(row.where(), fmt::format("tiles {} of {}, where ONNXim's mapping makes {} of {}",
                                             row.text("outer_MKN"), row.text("inner_MKN"), outer, inner));
  GraphMaker make(row.text("model"));
  Attributes transposed;  // B lies as [N][K], as ONNXim addresses it
  transposed.transpose_b = true;
  const TensorId a = make.input("a", {m, k}), b = make.constant("b", {n, k});
  Graph graph = make.finish(make.add("gemm", OpKind::kMatMul, {a, b}, transposed));
  return {std::move(graph), 2 * (m * k + k * n), onnxim_choice(hardware, tiles, m, n, k)};
}

// "[O] N1 C1 M2 P4 Q1 S1 R1", the number of tiles along each dimension ("[I]": their sizes): channels, filters, rows
// and columns of the output.
std::array<std::int64_t, 4> mapping_of(const CsvRow& row, const std::string& column) {
  static const std::regex pattern(
      "\\[[OI]\\] N1 C([0-9]{1,5}) M([0-9]{1,5}) P([0-9]{1,5}) Q([0-9]{1,5}) S[0-9]+ R[0-9]+");
  const std::string text = row.text(column);
  std::smatch match;
  if (!std::regex_match(text, match, pattern))
    throw UserError(row.where(),
                    fmt::format("{}: got '{}', expected tiles as '[O] N1 C1 M2 P4 Q1 S1 R1'", column, text));
  return {std::stoll(match[1]), std::stoll(match[2]), std::stoll(match[3]), std::stoll(match[4])};
}

OnnximConvTiles conv_tiles(const CsvRow& row) {
  const auto [outer_c, outer_m, outer_p, outer_q] = mapping_of(row, "outer_MKN");
  const auto [c, m, p, q] = mapping_of(row, "inner_MKN");
  return {outer_m, outer_p, outer_q, m, p, q, c};
}

// "conv_CHANNELS_FILTERS_kKERNEL_sSTRIDE_hHEIGHT": one image, half of the kernel as padding.
ChipCase conv_case(const CsvRow& row, const Hardware& hardware) {
  static const std::regex pattern("conv_([0-9]{1,5})_([0-9]{1,5})_k([0-9]{1,3})_s([0-9]{1,3})_h([0-9]{1,5})");
  const std::string model = row.text("model");
  std::smatch match;
  if (!std::regex_match(model, match, pattern))
    throw UserError(row.where(), fmt::format("got '{}', expected conv_C_M_kK_sS_hH", model));
  auto number = [&](int i) { return std::stoll(match[i]); };
  const std::int64_t channels = number(1), kernel = number(3), height = number(5);
  GraphMaker make(model);
  const TensorId x = make.input("x", {1, channels, height, height});
  const TensorId y = make.conv("conv", x, number(2), kernel, number(4), kernel / 2);
  const Shape output = make.shape(y);
  const Bytes operands = 2 * channels * (height * height + number(2) * kernel * kernel);
  return {make.finish(y), operands, onnxim_conv_choice(hardware, conv_tiles(row), output, channels, kernel * kernel)};
}

void compare(const CsvRow& row, Session& session, ValidationReport& report) {
  const bool conv = row.text("model").starts_with("conv");
  const ChipCase made = conv ? conv_case(row, session.hardware()) : gemm_case(row, session.hardware());
  const std::string name = row.text("config") + " " + row.text("model");
  const std::string kind = conv ? "conv" : "gemm";
  const double onnxim = row.number("cycles");
  PlanOptions given;
  given.choices = {made.onnxim};
  report.add("chip " + kind + ", its tiling", name, "cycles", onnxim,
             static_cast<double>(measure_network(session, made.graph, given).cycles), kGivenTilingBand);
  const bool reads_all = 32 * row.count("dram_reads_32B") >= made.operands;
  report.add_at_most("chip " + kind + ", our plan", name, "cycles", onnxim,
                     static_cast<double>(measure_network(session, made.graph).cycles), reads_all ? 0 : kUnreadBand);
}

// A product with ONNXim's tiles on the chip whose network is BookSim's one-stage fly.
void compare_crossbar(const CsvRow& row, Session& session, std::optional<double> band, ValidationReport& report) {
  const ChipCase made = gemm_case(row, session.hardware());
  PlanOptions given;
  given.choices = {made.onnxim};
  report.add("chip gemm on a crossbar, its tiling", row.text("config") + " " + row.text("model"), "cycles",
             row.number("cycles"), static_cast<double>(measure_network(session, made.graph, given).cycles), band);
}

}  // namespace

OnnximTiles onnxim_tiles(const Hardware& hardware, std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t block = hardware.core.matmul.rows, cores = hardware.cores();
  const Limits limits = limits_of(hardware);
  OnnximTiles tiles;
  tiles.outer_m = ceil_div(m, limits.side * block);
  tiles.outer_n = ceil_div(n, limits.side * block);
  tiles.outer_k = ceil_div(k, limits.deep * block);
  std::int64_t* longer = n > m && n > cores ? &tiles.outer_n : m > n && m > cores ? &tiles.outer_m : nullptr;
  if (longer && tiles.outer_m * tiles.outer_n < cores) *longer *= ceil_div(cores, tiles.outer_m * tiles.outer_n);
  if (longer) *longer += tiles.outer_m * tiles.outer_n % cores;
  tiles.m = inner_of(m, tiles.outer_m, block);
  tiles.n = inner_of(n, tiles.outer_n, block);
  tiles.k = inner_of(k, tiles.outer_k, block);
  tiles.outer_m = ceil_div(m, tiles.m);
  tiles.outer_n = ceil_div(n, tiles.n);
  tiles.outer_k = ceil_div(k, tiles.k);
  return tiles;
}

OperatorChoice onnxim_choice(const Hardware& hardware, const OnnximTiles& tiles, std::int64_t m, std::int64_t n,
                             std::int64_t k) {
  const std::int64_t cores = hardware.cores();
  std::int64_t along_m = cores_along(tiles.outer_m, cores);
  std::int64_t along_n = std::min(tiles.outer_n, cores / along_m);
  if (along_m * along_n < std::min(cores, tiles.outer_m)) along_m = std::min(cores, tiles.outer_m), along_n = 1;
  OperatorChoice choice;
  int core = 0;
  for (const Range& rows : parts_of(m, tiles.m, tiles.outer_m, along_m))
    for (const Range& columns : parts_of(n, tiles.n, tiles.outer_n, along_n))
      choice.split.items.push_back({core++, {rows, columns}});
  choice.split.reason = fmt::format("ONNXim's {} x {} tiles", tiles.outer_m, tiles.outer_n);
  for (const WorkItem& item : choice.split.items) choice.tilings.push_back(tiling_of(hardware, tiles, item, k));
  return choice;
}

OperatorChoice onnxim_conv_choice(const Hardware& hardware, const OnnximConvTiles& tiles, const Shape& output,
                                  std::int64_t channels, std::int64_t kernel) {
  const std::int64_t along_m = cores_along(tiles.outer_m, hardware.cores());
  const std::int64_t along_p = std::min(tiles.outer_p, hardware.cores() / along_m);
  OperatorChoice choice;
  int core = 0;
  for (const Range& filters : parts_of(output[1], tiles.m, tiles.outer_m, along_m))
    for (const Range& rows : parts_of(output[2], tiles.p, tiles.outer_p, along_p))
      choice.split.items.push_back({core++, {{0, output[0]}, filters, rows, {0, output[3]}}});
  choice.split.reason = fmt::format("ONNXim's {} x {} x {} tiles", tiles.outer_m, tiles.outer_p, tiles.outer_q);
  for (const WorkItem& item : choice.split.items)
    choice.tilings.push_back(conv_tiling_of(hardware, tiles, item, channels, kernel));
  return choice;
}

namespace {

void compare_row(const CsvRow& row, const OnnximChips& chips, ValidationReport& report) {
  const std::string& config = row.text("config");
  if (config == "tpu_c4_simple") return compare(row, chips.four_simple, report);
  if (config == "tpu_c1_simple") return compare(row, chips.one_simple, report);
  if (config == "tpu_c4_booksim") return compare_crossbar(row, chips.four_crossbar, std::nullopt, report);
  if (config == "tpu_c1_booksim") return compare_crossbar(row, chips.one_crossbar, kGivenTilingBand, report);
  throw UserError(row.where(), fmt::format("config: got '{}', expected tpu_c4_simple|tpu_c1_simple|tpu_c4_booksim|"
                                           "tpu_c1_booksim",
                                           config));
}

}  // namespace

ValidationReport validate_chip(const std::string& csv_path, const OnnximChips& chips) {
  ValidationReport report{.title = "Whole chip", .reference = "ONNXim a1e8629, simple interconnect and BookSim"};
  for (const CsvRow& row : read_csv_table(csv_path)) report.attempt("chip", [&] { compare_row(row, chips, report); });
  return report;
}

}  // namespace tilewright
