#include "planner/estimate/program_time.h"

#include <algorithm>
#include <array>
#include <map>

#include "planner/estimate/bandwidth.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/access.h"
#include "planner/ir/requirement.h"
#include "sim/base/error.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

using UnitTimes = std::array<double, kUnitCount>;

// What one instruction takes its unit, all cores moving data at the same time, core clocks.
class InstructionShares {
 public:
  explicit InstructionShares(const Hardware& hardware)
      : hardware_(hardware), share_(bandwidth_share(hardware, hardware.cores())) {}

  double fetch(const Instruction& instruction) const { return static_cast<double>(encoded_size(instruction)) / share_; }
  double run(const Instruction& instruction) const { return instruction_time(hardware_, instruction, share_); }

 private:
  const Hardware& hardware_;
  const double share_;
};

// The streams of all cores, each moving as far as what it waits for is there.
class StreamWalk {
 public:
  explicit StreamWalk(const Plan& plan) : times_(plan.hardware), cores_(plan.program.cores.size()) {
    for (std::size_t core = 0; core < cores_.size(); ++core)
      for (const Instruction& instruction : plan.program.cores[core].instructions)
        cores_[core].streams[static_cast<int>(instruction.unit)].push_back(&instruction);
  }

  double finish() {
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::size_t core = 0; core < cores_.size(); ++core)
        for (int unit = 0; unit < kUnitCount; ++unit)
          while (step(static_cast<int>(core), unit)) moved = true;
    }
    double last = 0;
    for (const Core& core : cores_)
      for (int unit = 0; unit < kUnitCount; ++unit) {
        SIM_CHECK(core.at[unit] == core.streams[unit].size(), "a stream of a legal program stops");
        last = std::max(last, core.free[unit]);
      }
    return last;
  }

 private:
  using Queue = std::multimap<int, double>;  // by token or flag: when each was posted, in order
  struct Core {
    std::array<std::vector<const Instruction*>, kUnitCount> streams;
    std::array<std::size_t, kUnitCount> at{};
    UnitTimes free{};
    Queue tokens, flags;
  };

  bool step(int number, int unit) {
    Core& core = cores_[number];
    if (core.at[unit] == core.streams[unit].size()) return false;
    const Instruction& instruction = *core.streams[unit][core.at[unit]];
    double start = core.free[unit];
    for (const auto token : instruction.waits) {
      const auto posted = core.tokens.find(token);
      if (posted == core.tokens.end()) return false;
      start = std::max(start, posted->second);
    }
    if (!meet(number, instruction, start)) return false;
    for (const auto token : instruction.waits) core.tokens.erase(core.tokens.find(token));
    core.free[unit] = start + std::max(times_.run(instruction), times_.fetch(instruction));
    for (const auto token : instruction.posts) core.tokens.emplace(token, core.free[unit]);
    ++core.at[unit];
    return true;
  }

  // Moves `start` behind what a sync instruction waits for; false when that is not there yet.
  bool meet(int number, const Instruction& instruction, double& start) {
    if (const auto* signal = std::get_if<Signal>(&instruction.payload))
      cores_[signal->core].flags.emplace(signal->flag, start);
    if (const auto* wait = std::get_if<Wait>(&instruction.payload)) return take_flags(cores_[number], *wait, start);
    const auto* barrier = std::get_if<Barrier>(&instruction.payload);
    if (!barrier || barrier->participants == 1) return true;
    auto& arrived = barriers_[barrier->id];
    arrived[number] = start;
    if (static_cast<int>(arrived.size()) < barrier->participants) return false;
    for (const auto& [core, time] : arrived) start = std::max(start, time);
    return true;
  }

  static bool take_flags(Core& core, const Wait& wait, double& start) {
    if (static_cast<int>(core.flags.count(wait.flag)) < wait.count) return false;
    for (int i = 0; i < wait.count; ++i) {
      const auto posted = core.flags.find(wait.flag);
      start = std::max(start, posted->second);
      core.flags.erase(posted);
    }
    return true;
  }

  InstructionShares times_;
  std::vector<Core> cores_;
  std::map<int, std::map<int, double>> barriers_;  // by id: when each core arrived
};

// T1 and T2 of one operator by unit, on its busiest core of each.
UnitTimes times_of(const OperatorPlan& planned, const InstructionShares& times) {
  UnitTimes most{};
  for (const auto& stream : planned.streams) {
    UnitTimes sum{};
    for (const Instruction& instruction : stream) sum[static_cast<int>(instruction.unit)] += times.run(instruction);
    for (int unit = 0; unit < kUnitCount; ++unit) most[unit] = std::max(most[unit], sum[unit]);
  }
  return most;
}

}  // namespace

TimeSums time_sums(const Plan& plan) {
  const InstructionShares times(plan.hardware);
  TimeSums most;
  for (const CoreProgram& core : plan.program.cores) {
    TimeSums sum;
    for (const Instruction& instruction : core.instructions) {
      const bool computes = instruction.unit == Unit::kMatmul || instruction.unit == Unit::kVector;
      sum.read += times.fetch(instruction) + (computes ? 0 : times.run(instruction));
      sum.compute += computes ? times.run(instruction) : 0;
    }
    if (sum.read + sum.compute > most.read + most.compute) most = sum;
  }
  return most;
}

double stream_estimate(const Plan& plan) { return StreamWalk(plan).finish(); }

double order_estimate(const Plan& plan) {
  const InstructionShares times(plan.hardware);
  std::vector<double> done(plan.graph.operators().size(), 0.0);
  UnitTimes free{};
  double last = 0;
  for (const OperatorId id : plan.order) {
    double start = 0;
    for (const TensorId input : all_inputs(plan.graph.op(id)))
      if (const auto producer = plan.graph.tensor(input).producer) start = std::max(start, done[*producer]);
    done[id] = start;
    const UnitTimes needed = times_of(plan.operators[id], times);
    for (int unit = 0; unit < kUnitCount; ++unit) {
      if (needed[unit] == 0) continue;
      free[unit] = std::max(free[unit], start) + needed[unit];
      done[id] = std::max(done[id], free[unit]);
    }
    last = std::max(last, done[id]);
  }
  return last;
}

}  // namespace tilewright
