#include "sim/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "sim/base/error.h"
#include "sim/isa/simulated_time.h"
#include "sim/isa/verify/verify.h"
#include "sim/isa/work_limit.h"
#include "sim/machine/stall/waits_by_cause.h"
#include "sim/model/accelerator.h"
#include "sim/model/kernel/chip_module.h"
#include "sim/model/waveform.h"

namespace tilewright {
namespace {

// Gives the model's spans the names of the session's lanes.
class LaneNames : public SpanSink {
 public:
  explicit LaneNames(int cores) {
    for (int core = 0; core < cores; ++core) {
      for (int unit = 0; unit < kUnitCount; ++unit) {
        names_.push_back(fmt::format("core {}/{}", core, name_of(static_cast<Unit>(unit))));
      }
    }
  }
  void listen(TraceListener* listener) { listener_ = listener; }
  void span(int core, Unit unit, std::string_view name, Picoseconds begin, Picoseconds end, int op) override {
    listener_->span(names_[core * kUnitCount + static_cast<int>(unit)], name, begin, end, op);
  }

 private:
  std::vector<std::string> names_;
  TraceListener* listener_ = nullptr;
};

// The kernel tells of every idle start and of its version; a session has its own reports.
void quiet_kernel() {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions("no activity or clock movement for sc_start() invocation",
                                          sc_core::SC_DO_NOTHING);
}

const Segment& segment_named(const Program& program, const std::string& name) {
  for (const Segment& segment : program.segments) {
    if (segment.name == name) return segment;
  }
  throw UserError(program.name, fmt::format("no segment is named '{}'", name));
}

void load_initial(const Program& program, const RunOptions& options, ChipMemory& memory) {
  for (const SegmentData& data : options.initial) {
    const Segment& segment = segment_named(program, data.segment);
    if (static_cast<Bytes>(data.bytes.size()) > segment.bytes) {
      throw UserError(program.name, fmt::format("{} initial bytes for segment '{}' of {}", data.bytes.size(),
                                                data.segment, segment.bytes));
    }
    if (data.bytes.empty()) continue;
    std::memcpy(memory.dram.at(segment.address, static_cast<Bytes>(data.bytes.size())), data.bytes.data(),
                data.bytes.size());
  }
}

std::vector<SegmentData> kept_segments(const Program& program, const RunOptions& options, ChipMemory* memory) {
  std::vector<SegmentData> kept;
  for (const std::string& name : options.keep) {
    if (!memory) throw UserError(program.name, fmt::format("segment '{}' is kept but the run carries no values", name));
    const Segment& segment = segment_named(program, name);
    kept.push_back({name, std::vector<std::byte>(static_cast<std::size_t>(segment.bytes))});
    if (segment.bytes == 0) continue;
    std::memcpy(kept.back().bytes.data(), memory->dram.at(segment.address, segment.bytes), kept.back().bytes.size());
  }
  for (const ClusterBytes& wanted : options.keep_of_clusters) {
    SIM_CHECK(memory, "'{}' is kept but the run carries no values", wanted.name);
    ZeroedBytes& bytes = memory->owned.clusters.at(static_cast<std::size_t>(wanted.cluster));
    SIM_CHECK(bytes.holds(wanted.address, wanted.bytes), "'{}' is past its cluster's memory", wanted.name);
    const std::byte* begin = bytes.data() + wanted.address;
    kept.push_back({wanted.name, std::vector<std::byte>(begin, begin + wanted.bytes)});
  }
  return kept;
}

// A name that no other session of the process has.
std::string next_chip_name() {
  static int made = 0;
  const int number = made++;
  return number == 0 ? "chip" : fmt::format("chip{}", number);
}

void check_dram_rate(const DramSpec& dram, const EventCounts& counts, Picoseconds elapsed) {
  for (const std::int64_t count : counts) SIM_CHECK(count >= 0, "an event counter wrapped: {}", count);
  const auto bytes = static_cast<double>(counts[static_cast<int>(Event::kDramReadBytes)] +
                                         counts[static_cast<int>(Event::kDramWriteBytes)]);
  const double possible = dram.peak_bytes_per_second() * static_cast<double>(elapsed) / 1e12;
  SIM_CHECK(bytes <= possible * (1 + 1e-9), "{} bytes of DRAM bursts in {} ps, which can carry {}", bytes, elapsed,
            possible);
}

void check_finite(const Statistics& statistics) {
  for (const Statistic& s : statistics.all())
    SIM_CHECK(std::isfinite(s.value), "the figure '{}' is {}", s.name, s.value);
}

void check_memory(const Hardware& hardware, const ExternalMemory* memory) {
  const bool wanted = hardware.dram.model == DramModel::kTlm;
  if (wanted && !memory)
    throw UserError(hardware.name,
                    "dram.model: got 'tlm', but no memory is attached: a program of your own gives one to "
                    "Session(hardware, memory), see docs/hardware.md; expected banked here");
  if (!wanted && memory)
    throw UserError(hardware.name, "dram.model: got 'banked', but a memory is attached, expected tlm");
}

// Ends the file of a run however the run ends: what a stuck program waits for is worth seeing.
struct CloseWaveform {
  void operator()(Waveform* waveform) const { waveform->close(); }
};
using WaveformEnd = std::unique_ptr<Waveform, CloseWaveform>;

}  // namespace

struct Session::Impl {
  Impl(const Hardware& chip, ExternalMemory* memory)
      : hardware(chip), accelerator(next_chip_name().c_str(), hardware, memory), lanes(hardware.cores()) {}

  // Launches count from a core clock edge, so equal programs see equal clocks.
  void to_clock_edge() {
    const Picoseconds now = kernel_now(), edge = hardware.core_clock.align_up(now);
    if (edge > now) sc_core::sc_start(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(edge - now)));
  }
  RunResult collect();
  WaveformEnd watch(const WaveformOptions& options);
  std::vector<CauseTimes> causes_of(const Program& program) const;

  const Hardware hardware;
  Accelerator accelerator;
  LaneNames lanes;
  std::unique_ptr<Waveform> waveform;
};

WaveformEnd Session::Impl::watch(const WaveformOptions& options) {
  accelerator.watch_buffers();
  waveform =
      std::make_unique<Waveform>("waveform", options.path, WaveformWindow{options.from, options.to}, accelerator);
  return WaveformEnd(waveform.get());
}

// Cores that the program does not name are idle from the first to the last completion.
std::vector<CauseTimes> Session::Impl::causes_of(const Program& program) const {
  const RunRecord& record = accelerator.record();
  const RunSpan run{record.launch(), record.launch() + record.last_completion()};
  const std::vector<const CoreTimes*> times = accelerator.times();
  std::vector<CauseTimes> causes = waits_by_cause(program, hardware, times, run);
  for (int core = static_cast<int>(causes.size()); core < hardware.cores(); ++core) {
    causes.emplace_back();
    causes.back()[static_cast<int>(Cause::kIdle)] = run.length();
  }
  return causes;
}

RunResult Session::Impl::collect() {
  RunResult result;
  const RunRecord& record = accelerator.record();
  result.statistics = accelerator.statistics();
  check_finite(result.statistics);
  result.time = record.last_completion();
  const auto& counts = record.meter.per_operator();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    result.operators.push_back(
        {record.operators()[i].begin, record.operators()[i].end, counts[i], accelerator.fabric().traffic_of(i)});
  }
  if (hardware.dram.model == DramModel::kBanked) check_dram_rate(hardware.dram, record.meter.total(), result.time);
  return result;
}

Session::Session(const Hardware& hardware, ExternalMemory* memory) {
  check_memory(hardware, memory);
  quiet_kernel();
  impl_ = std::make_unique<Impl>(hardware, memory);
}

Session::~Session() = default;

const Hardware& Session::hardware() const { return impl_->hardware; }

std::vector<ModuleInfo> Session::modules() {
  std::vector<ModuleInfo> modules;
  for_each_module(impl_->accelerator, [&](ChipModule& module) {
    modules.push_back({module.name(), module.kind(), {}});
    module.add_statistics({}, modules.back().statistics);
  });
  return modules;
}

RunResult Session::run(const Program& program, const RunOptions& options) {
  verify(program, impl_->hardware, program.name);
  check_simulated_time(program.name, program, impl_->hardware);
  check_work(fmt::format("program '{}'", program.name), estimated_requests(program, impl_->hardware));
  std::unique_ptr<ChipMemory> memory;
  if (options.values) {
    memory = std::make_unique<ChipMemory>(impl_->hardware, program.segments);
    load_initial(program, options, *memory);
  }
  impl_->lanes.listen(options.trace);
  const WaveformEnd end = options.waveform ? impl_->watch(*options.waveform) : nullptr;
  impl_->accelerator.write_down_times(options.causes);
  impl_->to_clock_edge();
  impl_->accelerator.launch(program, memory.get(), options.trace ? &impl_->lanes : nullptr);
  sc_core::sc_start();
  impl_->accelerator.check_finished(program);
  RunResult result = impl_->collect();
  if (options.causes) result.causes = impl_->causes_of(program);
  result.kept = kept_segments(program, options, memory.get());
  return result;
}

}  // namespace tilewright
