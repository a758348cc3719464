#include "sim/machine/core/matmul_unit.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/isa/unit_time.h"

namespace tilewright {
namespace {

Event mac_event(DataType type) {
  switch (type) {
    case DataType::kInt8:
      return Event::kMacInt8;
    case DataType::kFp8E4m3:
    case DataType::kFp8E5m2:
      return Event::kMacFp8;
    case DataType::kFp16:
    case DataType::kBf16:
      return Event::kMacFp16;
    case DataType::kFp32:
    case DataType::kInt32:
      return Event::kMacFp32;
  }
  SIM_CHECK(false, "type {}", static_cast<int>(type));
}

Activity activity_of(WaitReason reason) {
  switch (reason) {
    case WaitReason::kInputA:
      return Activity::kWaitA;
    case WaitReason::kInputB:
      return Activity::kWaitB;
    case WaitReason::kAccumulator:
      return Activity::kWaitAccumulator;
    case WaitReason::kToken:
      return Activity::kWaitToken;
  }
  SIM_CHECK(false, "reason {}", static_cast<int>(reason));
}

}  // namespace

MatmulUnit::MatmulUnit(const CoreSpec& spec, Clock clock, Scoreboard& scoreboard, StreamOwner& owner,
                       const CoreBuffers& buffers, Waker& waker)
    : spec_(spec.matmul),
      clock_(clock),
      scoreboard_(scoreboard),
      buffers_(buffers),
      waker_(waker),
      stream_(Unit::kMatmul, spec.control.unit_queue, scoreboard, owner) {}

void MatmulUnit::reset(Picoseconds launch) {
  stream_.reset();
  account_.reset(launch);
  state_ = State{};
}

Picoseconds MatmulUnit::evaluate(Picoseconds now) {
  Picoseconds ready = stream_.retire(now);
  while (state_.next_start <= now) {
    const Instruction* instruction = stream_.start(now);
    if (!instruction) break;
    if (const auto* matmul = std::get_if<Matmul>(&instruction->payload)) begin(*matmul, instruction->op, now);
    ready = stream_.retire(now);
  }
  account_.change(activity(now), now);
  return stream_.head() && state_.next_start > now ? std::min(ready, state_.next_start) : ready;
}

void MatmulUnit::begin(const Matmul& matmul, int op, Picoseconds now) {
  const ArrayTime time = array_time(spec_, array_work_of(matmul));
  const bool empty = state_.pipe_empty <= now;
  const Picoseconds streams = now + clock_.to_ps(spec_.issue_cycles + (empty ? time.fill : 0));
  state_.next_start = streams + clock_.to_ps(time.occupancy);
  state_.pipe_empty = std::max(state_.pipe_empty, state_.next_start + clock_.to_ps(time.drain));
  stream_.finish(stream_.number_of_last(), state_.pipe_empty);
  state_.blocks += time.blocks;
  count(matmul, op);
}

void MatmulUnit::count(const Matmul& matmul, int op) {
  const MatmulTraffic traffic = traffic_of(spec_, matmul);
  buffers_.meter.add(op, mac_event(matmul.type), traffic.macs);
  buffers_.read(Space::kBufferA, op, traffic.a_read);
  buffers_.read(Space::kBufferB, op, traffic.b_read);
  buffers_.read(Space::kAccumulator, op, traffic.accumulator_read);
  buffers_.write(Space::kAccumulator, op, traffic.accumulator_write);
  const double per_cycle =
      static_cast<double>(spec_.rows) * spec_.columns * spec_.arrays * spec_.rate[static_cast<int>(matmul.type)];
  ++state_.instructions;
  state_.macs += traffic.macs;
  state_.array_time += static_cast<Picoseconds>(static_cast<double>(traffic.macs * clock_.period_ps) / per_cycle);
}

Activity MatmulUnit::activity(Picoseconds now) const {
  if (state_.pipe_empty > now) return Activity::kCompute;
  const Instruction* head = stream_.head();
  if (!head) return Activity::kIdle;
  const int token = scoreboard_.first_missing(head->waits);
  return token < 0 ? Activity::kWaitToken : activity_of(scoreboard_.reason(token));
}

void MatmulUnit::add_probes(Probes& probes) const {
  probes.push_back({"state", 3, [this] { return static_cast<std::uint64_t>(account_.activity()); }});
  stream_.add_probes("matmul", probes);
}

void MatmulUnit::check_utilisation(const std::string& prefix, Picoseconds total) const {
  SIM_CHECK(state_.array_time <= total, "{}: multiply-adds need {} ps at full rate in a run of {} ps", prefix,
            state_.array_time, total);
  SIM_CHECK(state_.macs >= 0 && state_.instructions >= 0, "{}: a counter wrapped", prefix);
}

void MatmulUnit::add_statistics(const std::string& prefix, const RunSpan& run, Statistics& statistics) {
  check_utilisation(prefix, run.length());
  account_.change(Activity::kIdle, run.end);
  account_.add_statistics(prefix, clock_, run.length(), statistics);
  const double period = static_cast<double>(clock_.period_ps);
  const std::string unit = prefix + ".matmul";
  statistics.add(unit + ".instructions", "instructions", "matmul instructions completed",
                 static_cast<double>(state_.instructions));
  statistics.add(unit + ".blocks", "blocks", "folds of the array", static_cast<double>(state_.blocks));
  statistics.add(unit + ".macs", "MACs", "multiply-adds", static_cast<double>(state_.macs));
  statistics.add(unit + ".busy_cycles", "cycles", "the pipe holds work",
                 static_cast<double>(account_.spent(Activity::kCompute)) / period);
  statistics.add(unit + ".ideal_cycles", "cycles", "multiply-adds at the array's full rate",
                 static_cast<double>(state_.array_time) / period);
}

MatmulTraffic traffic_of(const MatmulSpec& spec, const Matmul& matmul) {
  const ArrayWork work = array_work_of(matmul);
  const std::int64_t rows = spec.rows, columns = spec.columns;
  const bool weight_stationary = spec.dataflow == Dataflow::kWeightStationary;
  const bool hold_a = weight_stationary && matmul.a_stationary;
  const bool hold_b = weight_stationary && !matmul.a_stationary;
  const std::int64_t a_passes = hold_a ? 1 : ceil_div(work.n, columns);
  const std::int64_t b_passes = hold_b ? 1 : ceil_div(work.m, hold_a ? columns : rows);
  const std::int64_t c_passes = weight_stationary ? ceil_div(work.k, rows) : 1;
  const Bytes element = bytes_of(matmul.type), result = bytes_of(accumulator_type(matmul.type));
  MatmulTraffic traffic;
  traffic.macs = multiply_adds_of(matmul);
  traffic.a_read = element * work.m * work.k * a_passes;
  traffic.b_read = element * work.k * work.n * b_passes;
  traffic.accumulator_write = result * work.m * work.n * c_passes;
  traffic.accumulator_read = result * work.m * work.n * (c_passes - (matmul.accumulate ? 0 : 1));
  return traffic;
}

}  // namespace tilewright
