#include "planner/report/run/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilewright {
namespace {

struct Advice {
  const char* sentence;  // completed by the share and the cause's meaning
  const char* change;
};

const Advice& advice_for(Cause cause) {
  static constexpr std::array<Advice, kCauseCount> kAdvice{{
      {"the matmul units", "core.matmul.arrays=x2"},
      {"DRAM bandwidth", "dram.channels=x2"},
      {"DRAM latency", "core.dma.outstanding_requests=x2"},
      {"DRAM rows", "dram.banks_per_group=x2"},
      {"the network", "network.flit_bytes=x2"},
      {"the cluster memory", "cluster_memory.banks=x2"},
      {"the DMA engine", "core.dma.buffer_bytes_per_cycle=x2"},
      {"the vector units", "core.vector.lanes=x2"},
      {"transfers and computation one after the other", "core.buffer_a_kib=x2+core.buffer_b_kib=x2"},
      {"waiting for other cores", ""},
      {"instruction supply", "core.control.fetch_ahead=x2+core.control.dispatch_per_cycle=x2"},
      {"the last writes to DRAM", "dram.channels=x2"},
      {"cores without work", ""},
  }};
  return kAdvice[static_cast<int>(cause)];
}

struct KeyCause {
  std::string_view prefix;
  std::array<Cause, 2> causes;  // twice the same: one
};
constexpr std::array<KeyCause, 23> kKeys{{
    {"core.buffer_", {Cause::kSerial, Cause::kSerial}},
    {"core.accumulator_kib", {Cause::kSerial, Cause::kSerial}},
    {"core.matmul.", {Cause::kCompute, Cause::kCompute}},
    {"core.vector.", {Cause::kVector, Cause::kVector}},
    {"core.dma.outstanding_requests", {Cause::kDramLatency, Cause::kNetwork}},
    {"core.dma.request_bytes", {Cause::kDramLatency, Cause::kNetwork}},
    {"core.dma.", {Cause::kDma, Cause::kDma}},
    {"core.control.signal_cycles", {Cause::kOtherCore, Cause::kOtherCore}},
    {"core.control.", {Cause::kDispatch, Cause::kDispatch}},
    {"cluster_memory.", {Cause::kClusterMemory, Cause::kClusterMemory}},
    {"network.", {Cause::kNetwork, Cause::kNetwork}},
    {"dram.channels", {Cause::kDramBandwidth, Cause::kPostedWrites}},
    {"dram.timing.burst", {Cause::kDramBandwidth, Cause::kPostedWrites}},
    {"dram.timing.CCD", {Cause::kDramBandwidth, Cause::kPostedWrites}},
    {"dram.timing.CL", {Cause::kDramLatency, Cause::kDramLatency}},
    {"dram.controller_clocks", {Cause::kDramLatency, Cause::kDramLatency}},
    {"dram.timing.", {Cause::kBankConflict, Cause::kDramLatency}},
    {"dram.bank", {Cause::kBankConflict, Cause::kBankConflict}},
    {"dram.row_bytes", {Cause::kBankConflict, Cause::kBankConflict}},
    {"dram.mapping", {Cause::kBankConflict, Cause::kBankConflict}},
    {"dram.interleave", {Cause::kBankConflict, Cause::kDramBandwidth}},
    {"dram.pseudo_interleave", {Cause::kBankConflict, Cause::kDramBandwidth}},
    {"dram.pseudo_channels", {Cause::kDramBandwidth, Cause::kPostedWrites}},
}};

}  // namespace

Verdict verdict_of(const Report& report) {
  const auto largest = std::max_element(report.mean_causes.begin(), report.mean_causes.end());
  const auto cause = static_cast<Cause>(largest - report.mean_causes.begin());
  const Advice& advice = advice_for(cause);
  std::string sentence =
      fmt::format("{}: {:.0f} % of the cores' time ({})", advice.sentence, 100 * *largest, info_of(cause).meaning);
  if (cause == Cause::kDramBandwidth)
    sentence += fmt::format("; {:.0f} % of DRAM's peak is used", 100 * report.dram.share_of_peak());
  return {std::move(sentence), advice.change};
}

std::vector<Cause> causes_under(std::string_view key) {
  for (const auto& [prefix, causes] : kKeys) {
    if (!key.starts_with(prefix)) continue;
    return causes[0] == causes[1] ? std::vector{causes[0]} : std::vector{causes[0], causes[1]};
  }
  return {};
}

}  // namespace tilewright
