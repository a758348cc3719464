#include "sim/model/core/core.h"

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/model/core/execute.h"

namespace tilewright {

Core::Core(sc_core::sc_module_name name, const Hardware& hardware, int number, MemoryFabric& fabric,
           ClusterCache* cache, SyncHub& hub, RunContext& context)
    : sc_module(name),
      number_(number),
      fabric_(fabric),
      cache_(cache),
      hub_(hub),
      context_(context),
      dau_("dau", hardware, number, *this, cache, scoreboard_, *this, context),
      matmul_("matmul", hardware.core, hardware.core_clock, scoreboard_, *this, context),
      vector_("vector", hardware.core, hardware.core_clock, scoreboard_, *this, context),
      queue_("queue", hardware, number, scoreboard_, *this,
             {&dau_.stream(Unit::kLoad), &dau_.stream(Unit::kStore), &matmul_.stream(), &vector_.stream()},
             {&dau_, &dau_, &matmul_, &vector_}, context) {
  hub.attach(*this);
  if (cache) cache->attach(*this);
}

void Core::reset(const CoreProgram& program, int flags, Picoseconds launch, CoreMemory* memory) {
  state_ = State{program.instructions.size(), 0, memory, launch};
  scoreboard_.reset(program, flags);
  dau_.reset();
  matmul_.reset(launch);
  vector_.reset();
  queue_.reset(program, launch);
}

bool Core::retired() const { return state_.completed == state_.instructions; }

Stream& Core::stream(Unit unit) {
  switch (unit) {
    case Unit::kLoad:
    case Unit::kStore:
      return dau_.stream(unit);
    case Unit::kMatmul:
      return matmul_.stream();
    case Unit::kVector:
      return vector_.stream();
  }
  SIM_CHECK(false, "unit {}", static_cast<int>(unit));
}

void Core::wake_units() {
  dau_.wake();
  matmul_.wake();
  vector_.wake();
}

void Core::completed(const Instruction& instruction, Picoseconds begin) {
  ++state_.completed;
  if (state_.memory) execute(instruction, *state_.memory);
  scoreboard_.post(instruction.posts);
  context_.completed(number_, instruction, begin);
  if (instruction.posts.count > 0) wake_units();
}

void Core::slot_freed(Unit) {
  if (!queue_.all_dispatched()) queue_.wake();
}

void Core::memory_done(const MemoryRequest& request) {
  if (request.tag & kFetchTag) {
    queue_.fetched(request);
  } else {
    dau_.memory_done(request);
  }
}

void Core::memory_request(const MemoryRequest& request) {
  if (cache_ && request.cached) return cache_->cached_read(request);
  if (cache_ && request.write) cache_->written(request);
  fabric_.send(request, *this);
}

void Core::signal_arrived(int flag) {
  scoreboard_.raise_flag(flag);
  wake_units();
}

void Core::barrier_released(Unit unit) {
  stream(unit).release_barrier(kernel_now());
  wake_units();
}

std::string Core::waiting_for() const {
  if (retired()) return "";
  std::string reasons;
  for (const std::string& reason :
       {queue_.waiting_for(), dau_.waiting_for(), matmul_.waiting_for(), vector_.waiting_for()}) {
    if (!reason.empty()) reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  return fmt::format("{} completed {} of {} instructions: {}", name_of_core(), state_.completed, state_.instructions,
                     reasons);
}

void Core::add_statistics(Picoseconds end, Statistics& statistics) {
  const std::string prefix = name_of_core();
  const Picoseconds total = end - state_.launch;
  matmul_.add_statistics(prefix, end, statistics);
  vector_.add_statistics(prefix, total, statistics);
  dau_.add_statistics(prefix, total, statistics);
  queue_.add_statistics(prefix, statistics);
}

}  // namespace tilewright
