#include "validation/matmul_session.h"

#include <fmt/format.h>

#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/binary.h"
#include "validation/matmul.h"

namespace tilewright {
namespace {

constexpr Address kCode = 0;

// The unit's time does not depend on where operands lie: A and B are one row that every row reads, C is stored whole.
Instruction instruction_of(const ArrayWork& work, bool conv) {
  Matmul matmul;
  matmul.type = DataType::kInt8;
  matmul.a_stationary = work.a_stationary;
  matmul.m = {1, work.run > 0 ? work.m / work.run : 1, work.run > 0 ? work.run : work.m};
  matmul.n[2] = work.n;
  matmul.k = conv ? MatmulExtents{work.k / work.kernel, work.kernel, 1} : MatmulExtents{1, 1, work.k};
  matmul.a.space = Space::kBufferA;
  matmul.b.space = Space::kBufferB;
  const std::int64_t row = 4 * work.n;
  matmul.c = {Space::kAccumulator, 0, {0, row * matmul.m[2], row}, {0, 0, 4}};
  return {Unit::kMatmul, 1, {}, {}, matmul};
}

Program program_of(const std::string& name, const std::vector<Instruction>& instructions) {
  Program program{.name = name, .operators = {"none", "matmul"}};
  program.cores.resize(1);
  program.cores[0].instructions = instructions;
  program.cores[0].fetch_address = kCode;
  program.segments = {{"code", SegmentKind::kInstructions, DataType::kInt8, kCode,
                       round_up<Bytes>(encoded_size(program.cores[0]), 64)}};
  return program;
}

Hardware scale_sim_chip(const CsvRow& row) {
  const std::string& flow = row.text("dataflow");
  const std::string text = fmt::format(R"(
name: scale_sim
core:
  frequency_mhz: 1000
  buffer_a_kib: 1024
  buffer_b_kib: 1024
  accumulator_kib: 65536
  matmul: {{rows: {}, columns: {}, dataflow: {}, overlap: none, rate: {{int8: 1}}}}
  vector: {{lanes: 8}}
network: {{topology: smp}}
dram: {{preset: DDR4_2400U, channels: 1}}
)",
                                       row.count("array_rows"), row.count("array_cols"),
                                       flow == "os" ? "output_stationary" : "weight_stationary");
  return load_hardware_text(text, row.where());
}

}  // namespace

MatmulSessionRuns::MatmulSessionRuns(const std::string& scale_sim_csv, const std::string& gemmini_csv,
                                     const Hardware& gemmini) {
  for (const CsvRow& row : read_csv_table(scale_sim_csv))
    prepared_.attempt("matmul on a Session", [&] { prepare_scale_sim(row); });
  const auto session = std::make_shared<Session>(gemmini);
  for (const CsvRow& row : read_csv_table(gemmini_csv))
    prepared_.attempt("matmul on a Session", [&] { prepare_gemmini(row, session); });
}

void MatmulSessionRuns::prepare_scale_sim(const CsvRow& row) {
  const Hardware chip = scale_sim_chip(row);
  std::shared_ptr<Session>& session = arrays_[to_yaml(chip)];
  if (!session) session = std::make_shared<Session>(chip);
  ArrayWork work{.m = row.count("M"), .n = row.count("N"), .k = row.count("K")};
  work.a_stationary = row.text("dataflow") == "is";
  const std::string name = fmt::format("{} {}x{}x{} on {}x{}", row.text("dataflow"), work.m, work.n, work.k,
                                       chip.core.matmul.rows, chip.core.matmul.columns);
  runs_.push_back({"matmul on a Session, SCALE-Sim", name, row.number("formula_cycles"), 0,
                   program_of(name, {instruction_of(work, false)}), session});
}

void MatmulSessionRuns::prepare_gemmini(const CsvRow& row, const std::shared_ptr<Session>& session) {
  const bool conv = row.text("kind") == "conv";
  std::vector<Instruction> tiles;
  for (const ArrayWork& tile : gemmini_tiles(row.where(), session->hardware().core.matmul, row.text("mapping"), conv))
    tiles.push_back(instruction_of(tile, conv));
  runs_.push_back({conv ? "matmul on a Session, Gemmini conv" : "matmul on a Session, Gemmini gemm", row.text("test"),
                   row.number("gemmini_cycles"), conv ? 6.0 : 2.0, program_of(row.text("test"), tiles), session});
}

void MatmulSessionRuns::compare(ValidationReport& report) {
  report.left_out.insert(report.left_out.end(), prepared_.left_out.begin(), prepared_.left_out.end());
  for (Run& run : runs_)
    report.attempt(run.group, [&] {
      const RunResult result = run.session->run(run.program);
      report.add(run.group, run.name, "cycles", run.reference, result.statistics.at("core0.matmul.busy_cycles"),
                 run.band);
    });
}

}  // namespace tilewright
