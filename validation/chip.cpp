#include "validation/chip.h"

#include <fmt/format.h>

#include <array>
#include <regex>

#include "planner/measure/measure.h"
#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "validation/graph_maker.h"
#include "validation/onnxim_mapping.h"

namespace tilewright {
namespace {

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
             static_cast<double>(measure(session, made.graph, given).cycles), kGivenTilingBand);
  const bool reads_all = 32 * row.count("dram_reads_32B") >= made.operands;
  report.add_at_most("chip " + kind + ", our plan", name, "cycles", onnxim,
                     static_cast<double>(measure(session, made.graph).cycles), reads_all ? 0 : kUnreadBand);
}

}  // namespace

ValidationReport validate_chip(const std::string& csv_path, Session& four_cores, Session& one_core) {
  ValidationReport report{.title = "Whole chip", .reference = "ONNXim a1e8629, simple interconnect"};
  for (const CsvRow& row : read_csv_table(csv_path)) {
    const std::string& config = row.text("config");
    if (config != "tpu_c4_simple" && config != "tpu_c1_simple")
      throw UserError(row.where(), fmt::format("config: got '{}', expected tpu_c4_simple|tpu_c1_simple", config));
    compare(row, config == "tpu_c4_simple" ? four_cores : one_core, report);
  }
  return report;
}

}  // namespace tilewright
