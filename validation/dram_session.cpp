#include "validation/dram_session.h"

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

constexpr int kTrain = 8;             // bursts of a long request
constexpr int kSaturated = 512;       // bursts under way: more than the controller's queues hold
constexpr std::int64_t kPiece = 256;  // bursts of one load

struct LoadShape {
  Extents shape{1, 1, 1, 1, 1};
  Strides stride{};
};

// Of a load of kPiece bursts: the order of stream_request().
LoadShape shape_of(DramPattern pattern, const DramSpec& dram) {
  const Bytes burst = dram.burst_bytes;
  switch (pattern) {
    case DramPattern::kSeqRead:
      return {{1, 1, 1, 1, kPiece * burst}, {0, 0, 0, 0, 1}};
    case DramPattern::kRandomRead:
      return {{1, 1, 1, 1, burst}, {0, 0, 0, 0, 1}};
    case DramPattern::kSameBank:
      return {{1, 1, 1, kPiece, burst}, {0, 0, 0, dram.row_bytes * dram.bank_groups * dram.banks_per_group, 1}};
    case DramPattern::kFourStreams:
      return {{1, 1, kPiece / 4, 4, burst}, {0, 0, burst, stream_request(dram, pattern, 1).address, 1}};
    case DramPattern::kTiled2d:
      return {{1, 1, 1, kPiece * burst / 256, 256}, {0, 0, 0, 8192, 1}};
    case DramPattern::kSeqReadWrite:
      break;
  }
  SIM_CHECK(false, "no loads for this pattern");
}

Instruction load_of(const LoadShape& shape, Address from) {
  Transfer transfer;
  transfer.type = DataType::kInt8;
  transfer.shape = shape.shape;
  transfer.source = {Space::kDram, from, shape.stride};
  transfer.target.space = Space::kBufferA;
  Bytes below = 1;
  for (int d = kBoxDims - 1; d >= 0; below *= shape.shape[d--]) transfer.target.stride[d] = below;
  return {Unit::kLoad, 1, {}, {}, transfer};
}

int bursts_under_way(const std::string& rate) { return rate == "closed32" ? 32 : kSaturated; }

DramPattern runnable_pattern(const DramReferenceRow& row) {
  const auto pattern = parse_dram_pattern(row.pattern);
  if (!pattern) throw UserError(row.name(), "unknown DRAM pattern '" + row.pattern + "'");
  if (row.rate == "open") throw UserError(row.name(), "the DMA engine sends no requests at a fixed rate");
  if (*pattern == DramPattern::kSeqReadWrite)
    throw UserError(row.name(), "loads and stores are streams of their own, without a fixed order");
  return *pattern;
}

std::string channel_text(const DramReferenceRow& row) {
  const bool ddr4 = row.memory.starts_with("DDR4");
  return fmt::format("preset: {}, mapping: {}, dual_command_bus: {}", ddr4 ? "DDR4_2400U" : "HBM2_2000",
                     row.mapping.starts_with("M1") ? "row_bank_bankgroup_column" : "row_column_bank_bankgroup", !ddr4);
}

}  // namespace

Hardware dram_session_chip(const DramReferenceRow& row, int train) {
  const Bytes burst = reference_dram_spec(row.memory, row.mapping).burst_bytes;
  const std::string text = fmt::format(R"(
name: dram_row
core:
  frequency_mhz: 2000
  buffer_a_kib: 64
  buffer_b_kib: 64
  accumulator_kib: 64
  matmul: {{rows: 8, columns: 8}}
  vector: {{lanes: 8}}
  dma: {{request_bytes: {}, outstanding_requests: {}, buffer_bytes_per_cycle: 256}}
  control: {{fetch_ahead: 32}}
network: {{topology: simple, flit_bytes: 512}}
dram: {{channels: 2, regions: 2, interleave_bytes: 4096, {}}}
)",
                                       train * burst, bursts_under_way(row.rate) / train, channel_text(row));
  return load_hardware_text(text, row.name());
}

Program dram_session_program(const DramReferenceRow& row, const Hardware& chip, int requests) {
  const DramPattern pattern = runnable_pattern(row);
  const LoadShape shape = shape_of(pattern, chip.dram);
  const std::int64_t step = pattern == DramPattern::kRandomRead ? 1 : kPiece;
  Program program{.name = row.name(), .operators = {"none", "stream"}};
  program.cores.resize(1);
  CoreProgram& core = program.cores[0];
  for (std::int64_t i = 0; i < requests; i += step)
    core.instructions.push_back(load_of(shape, stream_request(chip.dram, pattern, i).address));
  core.fetch_address = chip.dram.region_capacity();
  program.segments = {{"data", SegmentKind::kInput, DataType::kInt8, 0, chip.dram.region_capacity()},
                      {"code", SegmentKind::kInstructions, DataType::kInt8, core.fetch_address,
                       round_up<Bytes>(encoded_size(core), 64)}};
  return program;
}

DramSessionRuns::DramSessionRuns(const std::string& csv_path, int requests) {
  for (const DramReferenceRow& row : read_dram_reference(csv_path))
    if (row.primary && row.simulator == kDramReference)
      prepared_.attempt("DRAM on a Session", [&] { prepare(row, requests); });
}

void DramSessionRuns::prepare(const DramReferenceRow& row, int requests) {
  const DramPattern pattern = runnable_pattern(row);
  const bool longer = pattern == DramPattern::kSeqRead || pattern == DramPattern::kTiled2d;
  for (const int train : longer ? std::vector{1, kTrain} : std::vector{1}) {
    const Hardware chip = dram_session_chip(row, train);
    runs_.push_back({row, train, dram_session_program(row, chip, requests), std::make_unique<Session>(chip)});
  }
}

void DramSessionRuns::compare(ValidationReport& report) {
  for (Run& run : runs_) {
    const RunResult result = run.session->run(run.program);
    const Hardware& chip = run.session->hardware();
    const bool single = run.train == 1;
    const auto band = [&](double percent) { return single ? std::optional(percent) : std::nullopt; };
    const std::string group =
        single ? "on a Session, " : fmt::format("on a Session, requests of {} bursts, ", run.train);
    const double clocks = static_cast<double>(result.time) / static_cast<double>(chip.dram.clock.period_ps);
    const double bytes = result.statistics.at("dram0.read_bytes");
    report.add(group + run.row.rate + " bandwidth", run.row.name(), "bytes/clk", run.row.bytes_per_clock,
               bytes / clocks, band(5.0));
    const double hits =
        1 - result.statistics.at("dram0.activates") * static_cast<double>(chip.dram.burst_bytes) / bytes;
    report.add_share(group + "row-hit rate", run.row.name(), "share", run.row.row_hit_rate, std::max(0.0, hits),
                     band(2.0));
    if (single && run.row.rate == "closed32")
      report.add(group + "closed32 read latency", run.row.name(), "mean clocks", run.row.mean_latency,
                 result.statistics.at("dram0.average_read_latency"), band(15.0));
  }
  report.left_out.insert(report.left_out.end(), prepared_.left_out.begin(), prepared_.left_out.end());
}

}  // namespace tilewright
