#include "sim/model/accelerator.h"

#include <fmt/format.h>

#include <numeric>

#include "sim/base/error.h"
#include "sim/base/stop.h"
#include "sim/isa/simulated_time.h"
#include "sim/model/dram/dram_channel.h"
#include "sim/model/kernel/chip_module.h"

namespace tilewright {
namespace {

// Of the cores that a program does not name.
const CoreProgram kNoInstructions;

std::unique_ptr<DramPort> make_channel(const DramSpec& spec, int channel, EventMeter& meter, FaultSink& faults,
                                       ExternalMemory* memory) {
  const std::string name = fmt::format("dram{}", channel);
  if (spec.model == DramModel::kBanked)
    return std::make_unique<DramChannel>(name.c_str(), spec, channel, meter, faults);
  SIM_CHECK(memory != nullptr, "channel {} has no memory behind its bridge", channel);
  auto bridge = std::make_unique<TlmBridge>(name.c_str(), spec, channel, meter, faults);
  memory->attach(channel, bridge->socket);
  return bridge;
}

std::vector<std::unique_ptr<DramPort>> make_channels(const DramSpec& spec, EventMeter& meter, FaultSink& faults,
                                                     ExternalMemory* memory) {
  std::vector<std::unique_ptr<DramPort>> channels;
  for (int i = 0; i < spec.channels; ++i) channels.push_back(make_channel(spec, i, meter, faults, memory));
  return channels;
}

std::vector<DramPort*> pointers(const std::vector<std::unique_ptr<DramPort>>& channels) {
  std::vector<DramPort*> result;
  for (const auto& channel : channels) result.push_back(channel.get());
  return result;
}

void append(std::string& reasons, const std::string& module, const std::string& reason) {
  if (!reason.empty()) reasons += fmt::format("\n  {}{}{}", module, module.empty() ? "" : ": ", reason);
}

}  // namespace

ChipMemory::ChipMemory(const Hardware& hardware, const std::vector<Segment>& segments) : dram(segments) {
  for (int cluster = 0; cluster < hardware.clusters; ++cluster) {
    const auto& memory = hardware.memory_of(cluster);
    owned.clusters.emplace_back(memory ? memory->addressed_capacity() : 0);
  }
  for (int core = 0; core < hardware.cores(); ++core) {
    const CoreSpec& spec = hardware.core_of(core);
    owned.cores.push_back({&dram, &owned.clusters[hardware.cluster_of(core)], ZeroedBytes(spec.buffer_a),
                           ZeroedBytes(spec.buffer_b), ZeroedBytes(spec.accumulator), &owned});
  }
}

Accelerator::Accelerator(sc_core::sc_module_name name, const Hardware& hardware, ExternalMemory* memory)
    : ChipModule(name, "chip"),
      hardware_(hardware),
      network_("network", hardware.network, record_.meter, faults_),
      channels_(make_channels(hardware.dram, record_.meter, faults_, memory)),
      fabric_("memory", {"memory_fabric", "memory"}, hardware, network_, pointers(channels_), record_.meter),
      hub_("sync", {"sync_hub", "sync"}, faults_, hardware) {
  for (int i = 0; i < hardware.clusters; ++i) {
    const std::string cluster = fmt::format("cluster{}", i);
    clusters_.push_back(
        std::make_unique<Cluster>(cluster.c_str(), hardware, i, fabric_.part(), hub_.part(), record_, faults_));
    Shell<ClusterCache>* cache = clusters_.back()->cache();
    fabric_.part().attach_cluster(cache ? &cache->part() : nullptr);
    for (const auto& core : clusters_.back()->cores()) {
      cores_.push_back(core.get());
      fabric_.part().attach_core(core->buffers());
    }
  }
  fabric_.part().deliver_signals_to(hub_.part());
  if (hardware.core.control.signals == SignalWay::kPackets) hub_.part().send_signals_by(fabric_.part());
}

void Accelerator::watch_buffers() {
  for (Core* core : cores_) core->watch_buffers();
}

void Accelerator::write_down_times(bool wanted) {
  times_.clear();
  for (Core* core : cores_) {
    if (wanted) times_.push_back(std::make_unique<CoreTimes>());
    core->write_down(wanted ? times_.back().get() : nullptr);
  }
}

std::vector<const CoreTimes*> Accelerator::times() const {
  std::vector<const CoreTimes*> times;
  for (const auto& core : times_) times.push_back(core.get());
  return times;
}

void Accelerator::launch(const Program& program, ChipMemory* memory, SpanSink* spans) {
  const Picoseconds now = kernel_now();
  SIM_CHECK(hardware_.core_clock.align_up(now) == now, "launch at {} ps, between two core clock edges", now);
  SIM_CHECK(static_cast<int>(program.cores.size()) <= hardware_.cores(), "a program for {} cores on {}",
            program.cores.size(), hardware_.cores());
  record_.reset(now, static_cast<int>(program.operators.size()), spans);
  faults_.reset();
  progress_ = ProgressWatch();
  network_.reset();
  for (const auto& channel : channels_) channel->reset();
  fabric_.part().reset();
  hub_.reset();
  for (const auto& cluster : clusters_) cluster->reset(program);
  const int flags = flag_count(program);
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    const CoreProgram& code = i < program.cores.size() ? program.cores[i] : kNoInstructions;
    cores_[i]->reset(code, flags, now, memory ? &memory->owned.cores[i] : nullptr);
  }
}

bool Accelerator::retired() const {
  for (const Core* core : cores_) {
    if (!core->retired()) return false;
  }
  return true;
}

std::string Accelerator::waiting_for() const {
  std::string reasons;
  for (const Core* core : cores_) append(reasons, "", core->waiting_for());
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    if (clusters_[i]->cache())
      append(reasons, fmt::format("cluster{}", i), clusters_[i]->cache()->part().waiting_for());
  }
  append(reasons, "sync", hub_.part().waiting_for());
  append(reasons, "memory", fabric_.part().waiting_for());
  append(reasons, "network", network_.waiting_for());
  for (std::size_t i = 0; i < channels_.size(); ++i)
    append(reasons, fmt::format("dram{}", i), channels_[i]->waiting_for());
  return reasons;
}

// Everything that costs energy, and every instruction, is something done.
std::int64_t Accelerator::done() const {
  const EventCounts events = record_.meter.total();
  return std::accumulate(events.begin(), events.end(), record_.last_completion());
}

void Accelerator::watch() {
  check_stop();
  constexpr std::int64_t kLooksPerCount = 64;  // summing what many operators did takes longer than looking
  if (faults_.activations() / FirstFault::kBetweenLooks % kLooksPerCount != 0) return;
  const Picoseconds elapsed = kernel_now() - record_.launch();
  if (elapsed > kLongestRun)
    throw UserError("", fmt::format("the program runs for more than {} s of simulated time:{}",
                                    kLongestRun / 1'000'000'000'000, waiting_for()));
  SIM_CHECK(progress_.goes_on(faults_.activations(), done()),
            "modules wake each other and nothing is done, {} ps after launch:{}", elapsed, waiting_for());
}

void Accelerator::check_finished(const Program& program) const {
  faults_.rethrow();
  if (!retired()) throw UserError(program.name, "the program is stuck; nothing moves any more:" + waiting_for());
}

Statistics Accelerator::statistics() {
  for (const auto& channel : channels_) record_.memory_quiet(channel->settle());
  Statistics statistics;
  const RunSpan run{record_.launch(), record_.launch() + record_.last_completion()};
  for_each_module(*this, [&](ChipModule& module) { module.add_statistics(run, statistics); });
  return statistics;
}

}  // namespace tilewright
