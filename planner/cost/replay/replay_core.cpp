#include "planner/cost/replay/replay_core.h"

#include <algorithm>

#include "sim/isa/unit_time.h"

namespace tilewright {
namespace {

constexpr int kMatmulUnit = static_cast<int>(Unit::kMatmul), kVectorUnit = static_cast<int>(Unit::kVector);

bool is_sync(const Instruction& instruction) {
  return std::holds_alternative<Signal>(instruction.payload) || std::holds_alternative<Wait>(instruction.payload) ||
         std::holds_alternative<Barrier>(instruction.payload);
}

}  // namespace

ReplayCore::ReplayCore(const Hardware& hardware, int number, const CoreProgram& program, Calendar& calendar,
                       ReplayMemory& memory, ReplayCache* cache, ReplaySync& sync)
    : hardware_(hardware),
      clock_(hardware.core_clock),
      number_(number),
      calendar_(calendar),
      sync_(sync),
      dau_(hardware, number, memory, cache, *this),
      fetch_(hardware, number, program, memory, *this),
      start_(clock_.to_ps(hardware.core.control.launch_cycles)) {
  sync.attach(*this);
  if (!fetch_.over()) wake_at(start_);
}

bool ReplayCore::over() {
  for (int unit = 0; unit < kUnitCount; ++unit)
    if (!stream(unit).idle()) return false;
  return fetch_.over();
}

void ReplayCore::happen(std::uint32_t what, Picoseconds now) {
  if (what == kWake) {
    if (now >= wake_) wake_ = kNever;
  } else if (what >= ReplaySync::kReleased) {
    stream(static_cast<int>(what - ReplaySync::kReleased)).release(now);
  } else {
    if (flags_.size() <= what) flags_.resize(what + 1, 0);
    ++flags_[what];
  }
  if (now < start_) return wake_at(start_);
  work(now);
}

void ReplayCore::work(Picoseconds now) {
  bool moved = true;
  while (moved) {
    moved = dispatch(now);
    for (int unit = 0; unit < kUnitCount; ++unit) {
      while (complete(unit, now)) moved = true;
      while (start(unit, now)) moved = true;
    }
    if (!moved) {
      dau_.issue(now);
      for (int unit = 0; unit < 2; ++unit) moved = complete(unit, now) || start(unit, now) || moved;
    }
  }
  wake_at(next_moment(now));
}

bool ReplayCore::dispatch(Picoseconds now) {
  if (fetch_.over()) return false;
  if (dispatch_cycle_ != now) dispatched_now_ = 0;
  dispatch_cycle_ = now;
  fetch_.fetch_ahead(now);
  if (fetch_.next_ready() > now || dispatched_now_ >= hardware_.core.control.dispatch_per_cycle) return false;
  const Instruction& instruction = fetch_.next();
  ReplayStream& into = stream(static_cast<int>(instruction.unit));
  if (static_cast<int>(into.queued()) >= hardware_.core.control.unit_queue) return false;
  into.push(instruction);
  ++dispatched_now_;
  fetch_.take();
  fetch_.fetch_ahead(now);
  return true;
}

bool ReplayCore::start(int unit, Picoseconds now) {
  const bool free = unit < 2 ? dau_.free(unit) : compute_[unit - 2].free <= now;
  ReplayStream& of = stream(unit);
  const Instruction* instruction = free ? of.head() : nullptr;
  if (!instruction || !take_waits(*instruction)) return false;
  const std::size_t number = of.start();
  if (!is_sync(*instruction))
    begin(unit, number, *instruction, now);
  else if (!std::holds_alternative<Barrier>(instruction->payload))
    of.finish(number, now);
  return true;
}

// False when one is missing; then none is taken.
bool ReplayCore::take_waits(const Instruction& instruction) {
  const auto have = [](const std::vector<int>& counts, std::size_t i) { return i < counts.size() ? counts[i] : 0; };
  for (const auto token : instruction.waits)
    if (have(tokens_, token) < std::count(instruction.waits.begin(), instruction.waits.end(), token)) return false;
  if (const auto* wait = std::get_if<Wait>(&instruction.payload)) {
    if (have(flags_, wait->flag) < wait->count) return false;
    flags_[wait->flag] -= wait->count;
  }
  for (const auto token : instruction.waits) --tokens_[token];
  return true;
}

void ReplayCore::begin(int unit, std::size_t number, const Instruction& instruction, Picoseconds now) {
  if (const auto* matmul = std::get_if<Matmul>(&instruction.payload)) return begin(*matmul, number, now);
  if (const auto* vector = std::get_if<Vector>(&instruction.payload)) return begin(*vector, number, now);
  dau_.begin(unit, number, instruction, now);
}

void ReplayCore::begin(const Matmul& matmul, std::size_t number, Picoseconds now) {
  Compute& unit = compute_[kMatmulUnit - 2];
  const ArrayTime time = array_time(hardware_.core.matmul, array_work_of(matmul));
  const Cycles fill = pipe_empty_ <= now ? time.fill : 0;
  unit.free = now + clock_.to_ps(hardware_.core.matmul.issue_cycles + fill + time.occupancy);
  pipe_empty_ = std::max(pipe_empty_, unit.free + clock_.to_ps(time.drain));
  unit.stream.finish(number, pipe_empty_);
}

void ReplayCore::begin(const Vector& vector, std::size_t number, Picoseconds now) {
  Compute& unit = compute_[kVectorUnit - 2];
  unit.free = now + clock_.to_ps(vector_cycles(hardware_.core.vector, vector));
  unit.stream.finish(number, unit.free);
}

// Completes the oldest of a stream when it is ready.
bool ReplayCore::complete(int unit, Picoseconds now) {
  ReplayStream& of = stream(unit);
  if (const Barrier* barrier = of.reached()) sync_.reach(number_, static_cast<Unit>(unit), *barrier, now);
  if (of.oldest_ready() > now) return false;
  const Instruction& done = *of.oldest();
  of.complete();
  if (const auto* signal = std::get_if<Signal>(&done.payload)) sync_.send(*signal, now);
  for (const auto token : done.posts) {
    if (tokens_.size() <= token) tokens_.resize(token + 1, 0);
    ++tokens_[token];
  }
  completed_ = now;
  return true;
}

Picoseconds ReplayCore::next_moment(Picoseconds now) {
  Picoseconds next = dau_.next_issue(now);
  for (int unit = 0; unit < kUnitCount; ++unit) next = std::min(next, stream(unit).oldest_ready());
  for (Compute& unit : compute_)
    if (unit.free > now && unit.stream.head()) next = std::min(next, unit.free);
  // Else an instruction waits for room in its stream, and goes when something starts there.
  const Picoseconds arrives = fetch_.next_ready();
  if (arrives > now || dispatched_now_ > 0) next = std::min(next, std::max(arrives, now + clock_.period_ps));
  return next;
}

void ReplayCore::wake_at(Picoseconds time) {
  if (time >= wake_) return;
  wake_ = time;
  calendar_.add(time, *this, kWake);
}

}  // namespace tilewright
