#include "planner/estimate/queue_model/remaining_time.h"

#include <algorithm>
#include <numeric>

#include "planner/estimate/bandwidth.h"
#include "planner/estimate/unit_times.h"
#include "sim/isa/request_splitter.h"
#include "sim/isa/unit_time.h"

namespace tilewright {
namespace {

bool computes(Unit unit) { return unit == Unit::kMatmul || unit == Unit::kVector; }

}  // namespace

RemainingTime::RemainingTime(const Hardware& hardware, const Program& program, double most, MemoryPath& memory,
                             Calendar& calendar)
    : hardware_(hardware),
      map_(hardware),
      period_(static_cast<double>(hardware.core_clock.period_ps)),
      most_(most),
      dram_rate_(dram_peak(hardware)),
      cluster_rate_(cluster_peak(hardware)),
      counts_bytes_(hardware.kinds.empty() && !hardware.cluster_memory && !hardware.shares_loads()),
      memory_(memory),
      calendar_(calendar),
      cores_(program.cores.size()),
      clusters_(hardware.clusters) {
  for (int core = 0; core < static_cast<int>(cores_.size()); ++core) {
    for (const Instruction& instruction : program.cores[core].instructions) {
      if (computes(instruction.unit))
        cores_[core][static_cast<int>(instruction.unit)].left.push_back(time_of(hardware.core_of(core), instruction));
      else if (const auto* transfer = std::get_if<Transfer>(&instruction.payload))
        add(*transfer, hardware.cluster_of(core));
    }
    for (UnitWork& work : cores_[core]) {
      work.left.push_back(0);
      std::partial_sum(work.left.rbegin(), work.left.rend(), work.left.rbegin());
      consider(work.left.front());
    }
  }
  for (int cluster = 0; cluster < hardware.clusters; ++cluster) consider_memory(cluster, 0);
}

double RemainingTime::time_of(const CoreSpec& core, const Instruction& instruction) {
  if (const auto* vector = std::get_if<Vector>(&instruction.payload))
    return static_cast<double>(vector_cycles(core.vector, *vector));
  const auto* matmul = std::get_if<Matmul>(&instruction.payload);
  if (!matmul) return 0;
  const MatmulTime time = matmul_time(core.matmul, array_work_of(*matmul));
  drain_ = std::max(drain_, static_cast<double>(time.drain));
  return static_cast<double>(time.busy);
}

// What a box of DRAM repeats may be asked for once.
void RemainingTime::add(const Transfer& transfer, int cluster) {
  const auto bytes = [&](const Box& box) {
    if (box.space != Space::kDram || !map_.is_dram(box.address)) return 0.0;
    return static_cast<double>(distinct_elements(unpadded(transfer), box.stride) * bytes_of(transfer.type));
  };
  const double in = bytes(transfer.source), out = bytes(transfer.target);
  clusters_[cluster].in += in, clusters_[cluster].out += out;
  bytes_ += in + out;
}

// The next instruction may have been in the array while this one left it.
void RemainingTime::span(int core, Unit unit, std::string_view, Picoseconds, Picoseconds end, int) {
  const double now = static_cast<double>(end) / period_;
  if (!computes(unit)) return consider_memory(hardware_.cluster_of(core), now);
  UnitWork& work = cores_[core][static_cast<int>(unit)];
  consider(now - drain_ + work.left[++work.done]);
}

void RemainingTime::send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) {
  if (counts_bytes_ && map_.is_dram(request.address)) {
    Traffic& traffic = clusters_[hardware_.cluster_of(request.core)];
    (request.write ? traffic.out : traffic.in) -= request.bytes;
    bytes_ -= request.bytes;
  }
  memory_.send(request, client, now);
}

void RemainingTime::consider_memory(int cluster, double now) {
  if (!counts_bytes_) return;
  const Traffic& traffic = clusters_[cluster];
  consider(now + std::max({bytes_ / dram_rate_, traffic.in / cluster_rate_, traffic.out / cluster_rate_}));
}

void RemainingTime::consider(double end) {
  least_ = std::max(least_, end);
  if (too_long()) calendar_.stop();
}

}  // namespace tilewright
