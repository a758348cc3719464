#include "sim/isa/verify/sync_walk.h"

#include <algorithm>

#include "sim/base/stop.h"

namespace tilewright {

SyncWalk::SyncWalk(const Program& program, SyncListener* listener, Violations& violations)
    : program_(program), listener_(listener), violations_(violations), cores_(program.cores.size()) {}

const Instruction& SyncWalk::instruction_at(Place place) const {
  return program_.cores[place.core].instructions[place.instruction];
}

bool SyncWalk::finished(int core) const { return cores_[core].next == program_.cores[core].instructions.size(); }

void SyncWalk::run() {
  const int cores = static_cast<int>(cores_.size());
  for (bool moved = true; moved;) {
    moved = false;
    for (int core = 0; core < cores; ++core) moved |= advance(core);
  }
  bool all_finished = true;
  for (int core = 0; core < cores; ++core) all_finished &= finished(core);
  if (all_finished) {
    report_left_over();
  } else {
    report_lock_up();
  }
}

bool SyncWalk::advance(int core) {
  bool moved = false;
  while (!finished(core) && !cores_[core].in_barrier) {
    check_stop();
    const Place place{core, static_cast<int>(cores_[core].next)};
    if (!step(place)) break;
    moved = true;
  }
  return moved;
}

// A barrier moves its cores on when the last of them arrives; everything else moves by itself.
bool SyncWalk::step(Place place) {
  const Payload& payload = instruction_at(place).payload;
  if (const auto* barrier = std::get_if<Barrier>(&payload)) return step_barrier(place, *barrier);
  bool moves = true;
  if (const auto* signal = std::get_if<Signal>(&payload)) {
    moves = step_signal(place, *signal);
  } else if (const auto* wait = std::get_if<Wait>(&payload)) {
    moves = step_wait(place, *wait);
  } else if (listener_) {
    listener_->worked(place);
  }
  cores_[place.core].next += moves ? 1 : 0;
  return moves;
}

bool SyncWalk::step_signal(Place place, const Signal& signal) {
  if (signal.core >= static_cast<int>(cores_.size())) {
    violations_.add(place.core, place.instruction,
                    fmt::format("it signals core {}, which has no program", signal.core));
    return true;
  }
  Flag& flag = cores_[signal.core].flags[signal.flag];
  ++flag.arrived;
  flag.last_signal = place;
  if (listener_) listener_->signalled(place, signal);
  return true;
}

bool SyncWalk::step_wait(Place place, const Wait& wait) {
  Flag& flag = cores_[place.core].flags[wait.flag];
  if (flag.arrived < wait.count) return false;
  flag.arrived -= wait.count;
  const int stream = static_cast<int>(instruction_at(place).unit);
  if (flag.consumer < 0) flag.consumer = stream;
  if (flag.consumer != stream) {
    violations_.add(place.core, place.instruction,
                    fmt::format("flag {} is waited for by the {} stream and by the {} stream", wait.flag,
                                name_of(static_cast<Unit>(flag.consumer)), name_of(static_cast<Unit>(stream))));
  }
  if (listener_) listener_->waited(place, wait);
  return true;
}

bool SyncWalk::step_barrier(Place place, const Barrier& barrier) {
  const auto reached = barriers_.try_emplace(barrier.id).first;
  std::vector<Place>& places = reached->second;
  if (!places.empty()) {
    const int expected = std::get<Barrier>(instruction_at(places.front()).payload).participants;
    if (expected != barrier.participants) {
      violations_.add(place.core, place.instruction,
                      fmt::format("barrier {} has {} participants here and {} on core {}", barrier.id,
                                  barrier.participants, expected, places.front().core));
    }
  }
  places.push_back(place);
  cores_[place.core].in_barrier = true;
  if (static_cast<int>(places.size()) >= barrier.participants) release(reached);
  return true;
}

void SyncWalk::release(std::map<int, std::vector<Place>>::iterator barrier) {
  const std::vector<Place> places = std::move(barrier->second);
  barriers_.erase(barrier);
  for (const Place& place : places) {
    cores_[place.core].in_barrier = false;
    ++cores_[place.core].next;
  }
  if (listener_) listener_->released(places);
}

std::string SyncWalk::waits_for(int core) const {
  const auto index = cores_[core].next;
  const Instruction& instruction = program_.cores[core].instructions[index];
  if (const auto* wait = std::get_if<Wait>(&instruction.payload)) {
    return fmt::format("core {} waits at instruction {} for flag {} ({} of {} signals)", core, index, wait->flag,
                       cores_[core].flags.at(wait->flag).arrived, wait->count);
  }
  const Barrier& barrier = std::get<Barrier>(instruction.payload);
  return fmt::format("core {} waits at instruction {} in barrier {} ({} of {} cores)", core, index, barrier.id,
                     barriers_.at(barrier.id).size(), barrier.participants);
}

void SyncWalk::report_lock_up() {
  constexpr int kMaxNamed = 8;
  std::string reason = "the cores lock up:";
  int first = -1, blocked = 0;
  for (int core = 0; core < static_cast<int>(cores_.size()); ++core) {
    if (finished(core)) continue;
    if (first < 0) first = core;
    if (++blocked <= kMaxNamed) reason += fmt::format("{} {}", blocked > 1 ? ";" : "", waits_for(core));
  }
  if (blocked > kMaxNamed) reason += fmt::format("; and {} more cores", blocked - kMaxNamed);
  violations_.add(first, static_cast<int>(cores_[first].next), reason);
}

void SyncWalk::report_left_over() {
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    for (const auto& [id, flag] : cores_[core].flags) {
      if (flag.arrived == 0) continue;
      violations_.add(flag.last_signal.core, flag.last_signal.instruction,
                      fmt::format("flag {} of core {} is left over at the end ({} signals not waited for)", id, core,
                                  flag.arrived));
    }
  }
}

}  // namespace tilewright
