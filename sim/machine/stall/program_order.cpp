#include "sim/machine/stall/program_order.h"

#include <algorithm>
#include <map>

#include "sim/base/containers.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

int token_count(const CoreProgram& program) {
  int last = -1;
  for (const Instruction& instruction : program.instructions)
    for (const std::uint16_t token : instruction.posts) last = std::max<int>(last, token);
  return last + 1;
}

}  // namespace

ProgramOrder::ProgramOrder(const Program& program, std::span<const CoreTimes* const> times)
    : program_(program), times_(times), cores_(program.cores.size()) {
  for (int core = 0; core < static_cast<int>(cores_.size()); ++core) {
    order_streams(core);
    match_tokens(core);
    count_waits(core);
  }
  gather_signals();
  gather_meetings();
}

void ProgramOrder::order_streams(int core) {
  std::array<int, kUnitCount> last;
  last.fill(-1);
  const std::vector<Instruction>& instructions = program_.cores[core].instructions;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    int& latest = last[static_cast<int>(instructions[i].unit)];
    cores_[core].before.push_back(latest);
    latest = static_cast<int>(i);
  }
}

// A token is posted by one stream and waited for by one, so its n-th wait takes its n-th post.
void ProgramOrder::match_tokens(int core) {
  Core& order = cores_[core];
  std::vector<Ring<int>> posted(token_count(program_.cores[core]));
  const std::vector<Instruction>& instructions = program_.cores[core].instructions;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    order.first_producer.push_back(static_cast<int>(order.producers.size()));
    for (const std::uint16_t token : instructions[i].waits) {
      order.producers.push_back(posted[token].front());
      posted[token].pop_front();
    }
    for (const std::uint16_t token : instructions[i].posts) posted[token].push_back(static_cast<int>(i));
  }
  order.first_producer.push_back(static_cast<int>(order.producers.size()));
}

void ProgramOrder::count_waits(int core) {
  std::map<int, int> needed;
  cores_[core].sync.assign(size(core), -1);
  for (int i = 0; i < size(core); ++i)
    if (const auto* wait = std::get_if<Wait>(&at({core, i}).payload))
      cores_[core].sync[i] = needed[wait->flag] += wait->count;
}

void ProgramOrder::gather_signals() {
  for (int core = 0; core < static_cast<int>(cores_.size()); ++core) {
    for (int i = 0; i < size(core); ++i) {
      const auto* signal = std::get_if<Signal>(&at({core, i}).payload);
      if (!signal || signal->core >= static_cast<int>(cores_.size())) continue;
      auto& flags = cores_[signal->core].signals;
      if (static_cast<int>(flags.size()) <= signal->flag) flags.resize(signal->flag + 1);
      flags[signal->flag].push_back({core, i});
    }
  }
  const auto earlier = [&](const ProgramPlace& a, const ProgramPlace& b) { return times(a).end < times(b).end; };
  for (Core& core : cores_)
    for (std::vector<ProgramPlace>& flag : core.signals) std::stable_sort(flag.begin(), flag.end(), earlier);
}

// Every core meets the others once in each opening of a barrier.
void ProgramOrder::gather_meetings() {
  std::map<std::pair<int, int>, int> meeting_of;  // by id and how often it was met before
  for (int core = 0; core < static_cast<int>(cores_.size()); ++core) {
    std::map<int, int> met;
    for (int i = 0; i < size(core); ++i) {
      const auto* barrier = std::get_if<Barrier>(&at({core, i}).payload);
      if (!barrier) continue;
      const auto [entry, fresh] =
          meeting_of.try_emplace({barrier->id, met[barrier->id]++}, static_cast<int>(meetings_.size()));
      if (fresh) meetings_.emplace_back();
      meetings_[entry->second].push_back({core, i});
      cores_[core].sync[i] = entry->second;
    }
  }
}

ProgramPlace ProgramOrder::before(ProgramPlace place, int steps) const {
  for (; steps > 0 && place.index >= 0; --steps) place.index = cores_[place.core].before[place.index];
  return place;
}

std::span<const int> ProgramOrder::producers(ProgramPlace place) const {
  const Core& core = cores_[place.core];
  const int first = core.first_producer[place.index];
  return std::span(core.producers).subspan(first, core.first_producer[place.index + 1] - first);
}

ProgramPlace ProgramOrder::last_signal(ProgramPlace wait) const {
  const Core& core = cores_[wait.core];
  const int flag = std::get<Wait>(at(wait).payload).flag, needed = core.sync[wait.index];
  SIM_CHECK(flag < static_cast<int>(core.signals.size()) && needed <= static_cast<int>(core.signals[flag].size()),
            "core {}: a wait for {} signals of flag {} ended without them", wait.core, needed, flag);
  return core.signals[flag][needed - 1];
}

std::span<const ProgramPlace> ProgramOrder::meeting(ProgramPlace barrier) const {
  return meetings_[cores_[barrier.core].sync[barrier.index]];
}

}  // namespace tilewright
