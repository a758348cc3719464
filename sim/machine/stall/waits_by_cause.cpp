#include "sim/machine/stall/waits_by_cause.h"

#include <algorithm>
#include <numeric>

#include "sim/base/error.h"
#include "sim/machine/core/stream.h"
#include "sim/machine/stall/transfer_causes.h"

namespace tilewright {
namespace {

bool runs_in_dma(const Instruction& instruction) {
  return instruction.unit == Unit::kLoad || instruction.unit == Unit::kStore;
}

// Follows the waits of one core.
class WaitWalk {
 public:
  WaitWalk(const ProgramOrder& order, const Hardware& hardware, int home, CauseTimes& spent)
      : order_(order), hardware_(hardware), home_(home), spent_(spent) {}

  // Charges [from, to): `place` is what could begin at `to`, or what ended then.
  void before_start(ProgramPlace place, Picoseconds from, Picoseconds to) { walk({place, Side::kStart}, from, to); }
  void before_end(ProgramPlace place, Picoseconds from, Picoseconds to) { walk({place, Side::kEnd}, from, to); }

 private:
  enum class Side { kStart, kEnd, kQueue, kIssue };
  struct Step {
    ProgramPlace place;  // index -1: nothing came before
    Side side = Side::kStart;
  };
  struct Candidate {
    Step step;
    Picoseconds time = -1;
  };

  void walk(Step step, Picoseconds from, Picoseconds to);
  Step before_its_end(ProgramPlace place);
  Step before_its_start(ProgramPlace place);
  Step before_its_dispatch(ProgramPlace place);
  Candidate latest_before(ProgramPlace place) const;
  Candidate stream_before(ProgramPlace place) const;
  Step meet(ProgramPlace barrier);
  void charge(Cause cause, Picoseconds since);
  void charge_execution(ProgramPlace place);
  Picoseconds late_by(ProgramPlace place) const;
  Picoseconds reached(ProgramPlace barrier) const;

  const ProgramOrder& order_;
  const Hardware& hardware_;
  const int home_;
  CauseTimes& spent_;
  Picoseconds from_ = 0, now_ = 0;  // [from_, now_) is still to be charged
};

void WaitWalk::walk(Step step, Picoseconds from, Picoseconds to) {
  from_ = from;
  now_ = to;
  while (now_ > from_ && step.place.index >= 0) {
    switch (step.side) {
      case Side::kStart:
        step = before_its_start(step.place);
        break;
      case Side::kEnd:
        step = before_its_end(step.place);
        break;
      case Side::kQueue:
        step = before_its_dispatch(step.place);
        break;
      case Side::kIssue:
        charge_execution(step.place);
        step.side = Side::kStart;
        break;
    }
  }
  charge(Cause::kDispatch, from_);  // the launch
}

// The time back to `since` is `cause`'s.
void WaitWalk::charge(Cause cause, Picoseconds since) {
  const Picoseconds begin = std::max(since, from_);
  if (begin >= now_) return;
  spent_[static_cast<int>(cause)] += now_ - begin;
  now_ = begin;
}

// By its own work, or held back by the one before it: a stream completes in order.
WaitWalk::Step WaitWalk::before_its_end(ProgramPlace place) {
  const InstructionTimes& times = order_.times(place);
  if (std::holds_alternative<Barrier>(order_.at(place).payload)) return meet(place);
  const ProgramPlace before = order_.before(place);
  if (before.index >= 0 && times.ready < times.end && order_.times(before).end >= times.end)
    return {before, Side::kEnd};
  charge_execution(place);
  return {place, Side::kStart};
}

Picoseconds WaitWalk::reached(ProgramPlace barrier) const {
  const ProgramPlace before = order_.before(barrier);
  const Picoseconds begin = order_.times(barrier).begin;
  return before.index < 0 ? begin : std::max(begin, order_.times(before).end);
}

WaitWalk::Step WaitWalk::meet(ProgramPlace barrier) {
  const std::span<const ProgramPlace> meeting = order_.meeting(barrier);
  const auto last = *std::max_element(meeting.begin(), meeting.end(),
                                      [&](ProgramPlace a, ProgramPlace b) { return reached(a) < reached(b); });
  charge(Cause::kOtherCore, reached(last));
  const ProgramPlace before = order_.before(last);
  if (before.index >= 0 && order_.times(before).end >= order_.times(last).begin) return {before, Side::kEnd};
  return {last, Side::kStart};
}

void WaitWalk::charge_execution(ProgramPlace place) {
  const Picoseconds begin = std::max(order_.times(place).begin, from_);
  const Instruction& instruction = order_.at(place);
  if (std::holds_alternative<Vector>(instruction.payload))
    return charge(place.core == home_ ? Cause::kVector : Cause::kOtherCore, begin);
  if (std::holds_alternative<Matmul>(instruction.payload))
    return charge(place.core == home_ ? Cause::kCompute : Cause::kOtherCore, begin);
  if (!std::holds_alternative<Transfer>(instruction.payload) || begin >= now_) return;
  const Picoseconds late = std::min(late_by(place), now_ - begin);
  charge(Cause::kSerial, now_ - late);
  if (begin >= now_) return;
  charge_transfer(order_, hardware_, place, begin, now_, spent_);
  now_ = begin;
}

// How much earlier a load could have used a memory that stood still, had its place in the buffer been free.
Picoseconds WaitWalk::late_by(ProgramPlace place) const {
  const Instruction& instruction = order_.at(place);
  if (instruction.unit != Unit::kLoad) return 0;
  const Picoseconds begin = order_.times(place).begin;
  Picoseconds otherwise = order_.times(place).queued, freed = 0;
  if (const ProgramPlace before = order_.before(place); before.index >= 0)
    otherwise = std::max(otherwise, std::min(begin, order_.times(before).end));
  for (const int producer : order_.producers(place)) {
    const ProgramPlace posts{place.core, producer};
    const Picoseconds end = order_.times(posts).end;
    Picoseconds& latest = runs_in_dma(order_.at(posts)) ? otherwise : freed;
    latest = std::max(latest, end);
  }
  return freed > otherwise ? freed - otherwise : 0;
}

// What came before it in its stream, and since when that no longer was in its way.
WaitWalk::Candidate WaitWalk::stream_before(ProgramPlace place) const {
  const ProgramPlace before = order_.before(place);
  if (before.index < 0) return {};
  const InstructionTimes& times = order_.times(before);
  const Picoseconds begin = order_.times(place).begin;
  if (runs_in_dma(order_.at(place)) && times.transfer >= 0)
    return {{before, Side::kIssue}, std::min(begin, order_.core(place.core).transfer(times.transfer).issued)};
  if (runs_in_dma(order_.at(place)) && times.end > begin) return {{before, Side::kStart}, times.begin};
  return {{before, Side::kEnd}, std::min(begin, times.end)};
}

WaitWalk::Candidate WaitWalk::latest_before(ProgramPlace place) const {
  Candidate latest{{place, Side::kQueue}, order_.times(place).queued};
  const auto consider = [&](const Candidate& candidate) {
    if (candidate.time > latest.time) latest = candidate;
  };
  consider(stream_before(place));
  for (const int producer : order_.producers(place)) {
    const ProgramPlace posts{place.core, producer};
    consider({{posts, Side::kEnd}, order_.times(posts).end});
  }
  if (!std::holds_alternative<Wait>(order_.at(place).payload)) return latest;
  const ProgramPlace signal = order_.last_signal(place);
  consider({{signal, Side::kEnd},
            order_.times(signal).end + hardware_.core_clock.to_ps(hardware_.core.control.signal_cycles)});
  return latest;
}

WaitWalk::Step WaitWalk::before_its_start(ProgramPlace place) {
  const Candidate latest = latest_before(place);
  // However long the signal took on its way.
  const bool signalled = std::holds_alternative<Signal>(order_.at(latest.step.place).payload);
  if (signalled) charge(Cause::kOtherCore, order_.times(latest.step.place).end);
  charge(Cause::kDispatch, latest.time);  // the clock edge
  return latest.step;
}

// A place in its queue came free when an earlier instruction of the stream began; else it followed the instruction
// before it, or its bytes arrived.
WaitWalk::Step WaitWalk::before_its_dispatch(ProgramPlace place) {
  const ProgramPlace freed = order_.before(place, hardware_.core_of(place.core).control.unit_queue);
  const Picoseconds queued = order_.times(place).queued;
  const ProgramPlace previous{place.core, place.index - 1};
  const Picoseconds previous_queued = previous.index < 0 ? 0 : order_.times(previous).queued;
  if (freed.index >= 0 && order_.times(freed).begin >= previous_queued &&
      queued - order_.times(freed).begin <= 2 * hardware_.core_clock.period_ps) {
    charge(Cause::kDispatch, order_.times(freed).begin);
    return {freed, Side::kStart};
  }
  charge(Cause::kDispatch, previous_queued);
  return {previous, Side::kQueue};
}

struct Busy {
  ProgramPlace place;  // began it
  Picoseconds begin = 0, end = 0;
};

// When the matmul unit's pipe held work.
std::vector<Busy> busy_times(const ProgramOrder& order, int core) {
  std::vector<Busy> busy;
  for (int i = 0; i < order.size(core); ++i) {
    const ProgramPlace place{core, i};
    if (!std::holds_alternative<Matmul>(order.at(place).payload)) continue;
    const InstructionTimes& times = order.times(place);
    if (busy.empty() || times.begin > busy.back().end) busy.push_back({place, times.begin, times.begin});
    busy.back().end = std::max(busy.back().end, times.end);
  }
  return busy;
}

ProgramPlace last_of(const ProgramOrder& order, int core) {
  ProgramPlace last{core, -1};
  for (int i = 0; i < order.size(core); ++i)
    if (last.index < 0 || order.times({core, i}).end >= order.times(last).end) last.index = i;
  return last;
}

// When the cores had finished; what follows is the memory's.
Picoseconds all_finished(const ProgramOrder& order, int cores, Picoseconds launch) {
  Picoseconds finished = launch;
  for (int core = 0; core < cores; ++core)
    if (const ProgramPlace last = last_of(order, core); last.index >= 0)
      finished = std::max(finished, order.times(last).end);
  return finished;
}

}  // namespace

std::vector<CauseTimes> waits_by_cause(const Program& program, const Hardware& hardware,
                                       std::span<const CoreTimes* const> times, const RunSpan& run) {
  const ProgramOrder order(program, times);
  const int cores = static_cast<int>(program.cores.size());
  const Picoseconds finished = all_finished(order, cores, run.launch);
  std::vector<CauseTimes> spent(cores);
  for (int core = 0; core < cores; ++core) {
    WaitWalk walk(order, hardware, core, spent[core]);
    Picoseconds from = run.launch;
    for (const Busy& busy : busy_times(order, core)) {
      walk.before_start(busy.place, from, busy.begin);
      spent[core][static_cast<int>(Cause::kCompute)] += busy.end - busy.begin;
      from = busy.end;
    }
    if (const ProgramPlace last = last_of(order, core); last.index >= 0) {
      const Picoseconds end = std::max(from, order.times(last).end);
      walk.before_end(last, from, end);
      from = end;
    }
    spent[core][static_cast<int>(Cause::kIdle)] += finished - from;
    spent[core][static_cast<int>(Cause::kPostedWrites)] += run.end - finished;
    const Picoseconds sum = std::accumulate(spent[core].begin(), spent[core].end(), Picoseconds{0});
    SIM_CHECK(sum == run.length(), "core {}: causes take {} ps of a run of {} ps", core, sum, run.length());
  }
  return spent;
}

}  // namespace tilewright
