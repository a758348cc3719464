#include "sim/machine/core/core_control.h"

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/machine/core/execute.h"

namespace tilewright {

void CoreControl::reset(const CoreProgram& program, int flags, CoreMemory* values) {
  state_ = State{program.instructions.size(), 0, values};
  scoreboard_.reset(program, flags);
  if (times_) times_->reset(program);
  if (watched_) watch_ = std::make_unique<BufferWatch>(program, *watched_);
}

Stream& CoreControl::stream(Unit unit) {
  switch (unit) {
    case Unit::kLoad:
    case Unit::kStore:
      return units_.dma->stream(unit);
    case Unit::kMatmul:
      return units_.matmul->stream();
    case Unit::kVector:
      return units_.vector->stream();
  }
  SIM_CHECK(false, "unit {}", static_cast<int>(unit));
}

void CoreControl::wake_units() {
  units_.dma->wake();
  units_.matmul->wake();
  units_.vector->wake();
}

void CoreControl::completed(const Instruction& instruction, Picoseconds begin, Picoseconds now) {
  ++state_.completed;
  if (state_.values) execute(instruction, *state_.values);
  scoreboard_.post(instruction.posts);
  record_.completed(number_, instruction, begin, now);
  if (times_) times_->completed(instruction, begin, now);
  if (watch_) watch_->completed(instruction);
  if (instruction.posts.count > 0) wake_units();
}

void CoreControl::started(const Instruction& instruction) {
  if (watch_) watch_->started(instruction);
  if (!units_.queue->all_dispatched()) units_.queue->wake();
}

void CoreControl::memory_done(const MemoryRequest& request, Picoseconds now) {
  if (request.tag & kFetchTag) {
    units_.queue->fetched(request, now);
  } else {
    units_.dma->memory_done(request, now);
  }
}

void CoreControl::memory_request(const MemoryRequest& request, Picoseconds now) {
  if (cache_ && request.cached) return cache_->cached_read(request, now);
  if (cache_ && request.write) cache_->written(request);
  memory_.send(request, *this, now);
}

void CoreControl::signal_arrived(int flag) {
  scoreboard_.raise_flag(flag);
  wake_units();
}

void CoreControl::barrier_released(Unit unit, Picoseconds now) {
  stream(unit).release_barrier(now);
  wake_units();
}

std::string CoreControl::waiting_for() const {
  if (retired()) return "";
  std::string reasons;
  for (const std::string& reason : {units_.queue->waiting_for(), units_.dma->waiting_for(),
                                    units_.matmul->waiting_for(), units_.vector->waiting_for()}) {
    if (!reason.empty()) reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  return fmt::format("{} completed {} of {} instructions: {}", name(), state_.completed, state_.instructions, reasons);
}

}  // namespace tilewright
