#include "validation/chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>
#include <utility>

#include "planner/import/import.h"
#include "planner/search/study/study.h"
#include "planner/search/tiling/plan_network.h"
#include "sim/base/error.h"
#include "sim/base/text_file.h"
#include "sim/base/text_list.h"
#include "sim/hw/config/read_hardware.h"
#include "validation/graph_maker.h"
#include "validation/onnxim_tiles.h"

namespace tilewright {
namespace {

constexpr double kGivenTilingBand = 10;
// For rows in which ONNXim does not read what it multiplies: of a convolution's weights it reads one filter per block,
// of a network's layers with strides some of the pixels.
constexpr double kUnreadBand = 5;

// ONNXim's configurations: a chip of hw_configs, and what is different about it.
struct Configuration {
  std::string chip;
  std::vector<Setting> settings;
};

const std::map<std::string, Configuration>& configurations() {
  static const std::vector<Setting> one{{"clusters", "1"}};
  static const std::vector<Setting> crossbar{{"network.topology", "crossbar"},
                                             {"network.simple_latency_cycles", "~"},
                                             {"network.request_port", "turn"},
                                             {"network.header_bytes", "8"},
                                             {"network.port_queue", "256"},
                                             {"network.router.virtual_channels", "12"},
                                             {"network.router.buffer_flits", "64"},
                                             {"network.memory_port.places", "522"},
                                             {"network.memory_port.buffer_flits", "64"},
                                             {"network.memory_port.order", "lowest_channel"}};
  static const std::vector<Setting> one_crossbar = [] {
    std::vector<Setting> both = crossbar;
    both.insert(both.end(), one.begin(), one.end());
    return both;
  }();
  static const std::map<std::string, Configuration> configurations{
      {"tpu_c4_simple", {"tpu_v4_like_simple", {}}},
      {"tpu_c1_simple", {"tpu_v4_like_simple_one_core", {}}},
      {"tpu_c4_booksim", {"tpu_v4_like_crossbar", {}}},
      {"tpu_c1_booksim", {"tpu_v4_like_crossbar_one_core", {}}},
      {"s8_c4_simple", {"onnxim_8x8", {}}},
      {"s8_c1_simple", {"onnxim_8x8", one}},
      {"s8_c4_booksim", {"onnxim_8x8", crossbar}},
      {"s8_c1_booksim", {"onnxim_8x8", one_crossbar}}};
  return configurations;
}

Hardware hardware_of(const Configuration& configuration, const std::string& folder) {
  const std::string path = folder + "/" + configuration.chip + ".yaml";
  if (configuration.settings.empty()) return load_hardware(path);
  return load_hardware_text(apply_settings(read_text_file(path), configuration.settings), path);
}

std::string known_configurations() {
  std::string names;
  for (const auto& [name, configuration] : configurations()) append_item(names, "|", name);
  return names;
}

struct ChipCase {
  std::string kind;
  Graph graph;
  // ONNXim's tiles, and the graph that has its reads: what it times; nothing where we do not have them.
  std::optional<std::pair<Graph, OperatorChoice>> given;
  // The same tiles with the whole operands, where ONNXim leaves some of them out.
  std::optional<OperatorChoice> whole;
};

// B lies as [N][K], as ONNXim addresses it; where it is no constant, in one piece.
Graph product(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k, bool constant) {
  GraphMaker make(name);
  Attributes transposed;
  transposed.transpose_b = true;
  const TensorId a = make.input("a", {m, k}), b = constant ? make.constant("b", {n, k}) : make.input("b", {n, k});
  return make.finish(make.add("gemm", OpKind::kMatMul, {a, b}, transposed));
}

ChipCase gemm_case(const CsvRow& row, const Hardware& hardware) {
  const std::int64_t m = row.count("M"), n = row.count("N"), k = row.count("K");
  const OnnximTiles tiles = onnxim_tiles(hardware, m, n, k);
  const std::string outer = fmt::format("{}x{}x{}", tiles.outer_m, tiles.outer_k, tiles.outer_n);
  const std::string inner = fmt::format("{}x{}x{}", tiles.m, tiles.k, tiles.n);
  if (outer != row.text("outer_MKN") || inner != row.text("inner_MKN"))
    throw UserError(row.where(), fmt::format("tiles {} of {}, where ONNXim's mapping makes {} of {}",
                                             row.text("outer_MKN"), row.text("inner_MKN"), outer, inner));
  return {"gemm", product(row.text("model"), m, n, k, true),
          std::pair{product(row.text("model"), m, n, k, false), onnxim_choice(hardware, tiles, m, n, k)}, std::nullopt};
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

struct ConvShape {
  std::int64_t channels, filters, kernel, stride, height;
};

// "conv_CHANNELS_FILTERS_kKERNEL_sSTRIDE_hHEIGHT": one image, half of the kernel as padding.
ConvShape conv_shape(const CsvRow& row) {
  static const std::regex pattern("conv_([0-9]{1,5})_([0-9]{1,5})_k([0-9]{1,3})_s([0-9]{1,3})_h([0-9]{1,5})");
  const std::string model = row.text("model");
  std::smatch match;
  if (!std::regex_match(model, match, pattern))
    throw UserError(row.where(), fmt::format("got '{}', expected conv_C_M_kK_sS_hH", model));
  auto number = [&](int i) { return std::stoll(match[i]); };
  return {number(1), number(2), number(3), number(4), number(5)};
}

struct ConvGraph {
  Graph graph;
  Shape output;
};

ConvGraph convolution(const std::string& name, const ConvShape& s) {
  GraphMaker make(name);
  const TensorId x = make.input("x", {1, s.channels, s.height, s.height});
  const TensorId y = make.conv("conv", x, s.filters, s.kernel, s.stride, s.kernel / 2);
  const Shape output = make.shape(y);
  return {make.finish(y), output};
}

// Of an image that is walked with a stride ONNXim reads every stride-th row and column, one pixel for each output
// (ConvWS.cc): what it times is the convolution of an image as large as the output, with no stride.
ChipCase conv_case(const CsvRow& row, const Hardware& hardware) {
  const ConvShape shape = conv_shape(row);
  ConvGraph whole = convolution(row.text("model"), shape);
  const OnnximConvTiles tiles = conv_tiles(row);
  const std::int64_t kernel = shape.kernel * shape.kernel;
  const OperatorChoice choice = onnxim_conv_choice(hardware, tiles, whole.output, shape.channels, kernel);
  ConvShape read = shape;
  read.stride = 1;
  if (shape.stride > 1) read.height = whole.output[2];
  ChipCase made{"conv", std::move(whole.graph), std::pair{convolution(row.text("model"), read).graph, choice},
                std::nullopt};
  if (shape.stride > 1) made.whole = choice;
  return made;
}

ChipCase network_case(const CsvRow& row, const std::string& traces) {
  return {"network", import_workload(traces + "/" + row.text("model") + ".onnx"), std::nullopt, std::nullopt};
}

ChipCase case_of(const CsvRow& row, const Hardware& hardware, const std::string& traces) {
  if (row.text("model").starts_with("conv_")) return conv_case(row, hardware);
  return row.text("M").empty() ? network_case(row, traces) : gemm_case(row, hardware);
}

// Inputs and weights, in ONNXim's elements of two bytes.
Bytes operand_bytes(const Graph& graph) {
  Bytes bytes = 0;
  for (const Tensor& tensor : graph.tensors())
    if (tensor.kind == TensorKind::kInput || tensor.kind == TensorKind::kConstant)
      bytes += 2 * element_count(tensor.shape);
  return bytes;
}

double cycles_given(Session& session, const Graph& graph, const OperatorChoice& choice) {
  PlanOptions given;
  given.choices = {choice};
  given.turn_back = false;
  return static_cast<double>(measure_network(session, graph, given).cycles);
}

}  // namespace

OnnximRuns::OnnximRuns(const std::string& csv_path, const std::string& hardware, std::string traces)
    : traces_(std::move(traces)), rows_(read_csv_table(csv_path)) {
  for (const CsvRow& row : rows_) {
    const auto known = configurations().find(row.text("config"));
    if (known == configurations().end() || sessions_.contains(known->first)) continue;
    sessions_.emplace(known->first, std::make_unique<Session>(hardware_of(known->second, hardware)));
  }
}

ValidationReport OnnximRuns::compare() {
  ValidationReport report{.title = "Whole chip", .reference = "ONNXim a1e8629, simple interconnect and BookSim"};
  for (const CsvRow& row : rows_) report.attempt("chip", [&] { compare(row, report); });
  return report;
}

void OnnximRuns::compare(const CsvRow& row, ValidationReport& report) {
  const auto found = sessions_.find(row.text("config"));
  if (found == sessions_.end())
    throw UserError(row.where(),
                    fmt::format("config: got '{}', expected {}", row.text("config"), known_configurations()));
  Session& session = *found->second;
  const ChipCase made = case_of(row, session.hardware(), traces_);
  const std::string name = row.text("config") + " " + row.text("model");
  const bool booksim = found->first.ends_with("booksim");
  const std::string group = "chip " + made.kind + (booksim ? " on a crossbar" : "");
  const double onnxim = row.number("cycles");
  if (made.given)
    report.add(group + ", its tiling", name, "cycles", onnxim,
               cycles_given(session, made.given->first, made.given->second), kGivenTilingBand);
  if (made.whole)
    report.add(group + ", its tiling, every pixel", name, "cycles", onnxim,
               cycles_given(session, made.graph, *made.whole), std::nullopt);
  if (booksim) return;
  const auto planned = [&](const Graph& graph) { return static_cast<double>(measure_network(session, graph).cycles); };
  const Graph& timed = made.whole ? made.given->first : made.graph;
  const bool reads_all = 32 * row.count("dram_reads_32B") >= operand_bytes(timed);
  report.add_at_most(group + ", our plan", name, "cycles", onnxim, planned(timed), reads_all ? 0 : kUnreadBand);
  if (made.whole)
    report.add(group + ", our plan, every pixel", name, "cycles", onnxim, planned(made.graph), std::nullopt);
}

}  // namespace tilewright
