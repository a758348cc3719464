#include "validation/matmul.h"

#include <fmt/format.h>

#include <map>
#include <regex>

#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/hw/timing/array_time.h"

namespace tilewright {
namespace {

using Sizes = std::map<char, std::int64_t>;

// One group of a mapping, e.g. "[I] N1 C448 M64" -> {N: 1, C: 448, M: 64, P: 1, ...}.
Sizes group(const std::string& where, const std::string& mapping, char name) {
  Sizes sizes;
  for (const char dimension : std::string("NCMPQSR")) sizes[dimension] = 1;
  const std::size_t at = mapping.find(fmt::format("[{}]", name));
  if (at == std::string::npos) throw UserError(where, fmt::format("mapping '{}' has no [{}]", mapping, name));
  const std::string text = mapping.substr(at + 3, mapping.find(" -", at) - at - 3);
  static const std::regex entry("([A-Z])([0-9]{1,9})");
  for (std::sregex_iterator it(text.begin(), text.end(), entry), end; it != end; ++it)
    sizes[(*it)[1].str()[0]] = std::max(1LL, std::stoll((*it)[2].str()));
  return sizes;
}

// The tiles of one dimension: the inner size, and what is left for the last one.
std::vector<std::int64_t> pieces(std::int64_t total, std::int64_t inner) {
  std::vector<std::int64_t> sizes;
  for (; total > 0; total -= inner) sizes.push_back(std::min(total, inner));
  return sizes;
}

// Channels are cut at whole blocks, as Gemmini addresses its scratchpad. In a GEMM N counts rows, M columns.
std::vector<ArrayWork> tiles_of(const std::string& where, const std::string& mapping, bool conv, std::int64_t block) {
  const Sizes total = group(where, mapping, 'T'), inner = group(where, mapping, 'I');
  const std::int64_t kernel = total.at('S') * total.at('R');
  std::vector<ArrayWork> tiles;
  for (const std::int64_t n : pieces(total.at('N'), inner.at('N')))
    for (const std::int64_t p : pieces(total.at('P'), inner.at('P')))
      for (const std::int64_t q : pieces(total.at('Q'), inner.at('Q')))
        for (const std::int64_t m : pieces(total.at('M'), inner.at('M')))
          for (const std::int64_t c : pieces(total.at('C'), round_up(inner.at('C'), block)))
            tiles.push_back(
                {.m = n * p * q, .n = m, .k = round_up(c, block) * kernel, .run = conv ? q : 0, .kernel = kernel});
  return tiles;
}

void add_scale_sim(ValidationReport& report, const CsvRow& row) {
  const std::string& flow = row.text("dataflow");
  MatmulSpec spec;
  spec.rows = static_cast<int>(row.count("array_rows"));
  spec.columns = static_cast<int>(row.count("array_cols"));
  spec.overlap = TileOverlap::kNone;
  spec.rate.fill(1);
  spec.dataflow = flow == "os" ? Dataflow::kOutputStationary : Dataflow::kWeightStationary;
  ArrayWork work{.m = row.count("M"), .n = row.count("N"), .k = row.count("K")};
  work.a_stationary = flow == "is";  // SCALE-Sim's input-stationary flow keeps A in the array
  const ArrayTime time = array_time(spec, work);
  const std::string name = fmt::format("{}x{}x{} on {}x{}", work.m, work.n, work.k, spec.rows, spec.columns);
  report.add("matmul SCALE-Sim " + flow, name, "cycles", row.number("formula_cycles"),
             static_cast<double>(time.fill + time.occupancy + time.drain), 0);
  report.add("matmul SCALE-Sim folds", flow + " " + name, "folds", row.number("folds"),
             static_cast<double>(time.blocks), 0);
}

void add_gemmini(ValidationReport& report, const CsvRow& row, const MatmulSpec& spec) {
  const bool conv = row.text("kind") == "conv";
  const std::string& mapping = row.text("mapping");
  const auto cycles = static_cast<double>(gemmini_cycles(row.where(), spec, mapping, conv));
  report.add(conv ? "matmul Gemmini conv" : "matmul Gemmini gemm", row.text("test"), "cycles",
             row.number("gemmini_cycles"), cycles, conv ? 6 : 2);
  MatmulSpec free = spec;
  free.issue_cycles = 0;
  report.add("matmul ONNXim compute", row.text("test"), "cycles", row.number("onnxim_compute_cycles"),
             static_cast<double>(gemmini_cycles(row.where(), free, mapping, conv)), std::nullopt);
}

}  // namespace

std::vector<ArrayWork> gemmini_tiles(const std::string& where, const MatmulSpec& spec, const std::string& mapping,
                                     bool conv) {
  return tiles_of(where, mapping, conv, spec.rows);
}

Cycles gemmini_cycles(const std::string& where, const MatmulSpec& spec, const std::string& mapping, bool conv) {
  Cycles free = 0, finish = 0;
  bool empty = true;
  for (const ArrayWork& tile : tiles_of(where, mapping, conv, spec.rows)) {
    const ArrayTime time = array_time(spec, tile);
    free += spec.issue_cycles + (empty ? time.fill : 0) + time.occupancy;
    finish = free + time.drain;
    empty = false;
  }
  return finish;
}

ValidationReport validate_matmul(const std::string& scale_sim_csv, const std::string& gemmini_csv,
                                 const MatmulSpec& gemmini) {
  ValidationReport report{.title = "Matmul unit", .reference = "SCALE-Sim v3 (overlap none), Gemmini's RTL (full)"};
  for (const CsvRow& row : read_csv_table(scale_sim_csv))
    report.attempt("matmul SCALE-Sim", [&] { add_scale_sim(report, row); });
  for (const CsvRow& row : read_csv_table(gemmini_csv))
    report.attempt("matmul Gemmini", [&] { add_gemmini(report, row, gemmini); });
  return report;
}

}  // namespace tilewright
