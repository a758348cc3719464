#include "sim/isa/verify/clocks.h"

#include <algorithm>

#include "sim/base/distinct.h"

namespace tilewright {
namespace {

void join(ChipClock& into, const ChipClock& other) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], other[i]);
}

void raise_to_own(ChipClock& clock, const Stamp& stamp) {
  const auto raise = [&](int stream, std::uint32_t number) {
    std::uint32_t& own = clock[stamp.core * kUnitCount + stream];
    own = std::max(own, number);
  };
  for (int u = 0; u < kUnitCount; ++u) raise(u, stamp.known[u]);
  raise(stamp.stream, stamp.number);
}

}  // namespace

CoreClocks::Token& CoreClocks::token(std::uint16_t id) {
  if (id >= tokens_.size()) tokens_.resize(id + 1);
  return tokens_[id];
}

// Posts and waits of a token each come from one stream, so the n-th wait takes the n-th post.
Stamp CoreClocks::step(int core, const Instruction& instruction) {
  Stamp stamp;
  stamp.core = core;
  stamp.stream = static_cast<int>(instruction.unit);
  LocalClock& clock = stream_[stamp.stream];
  for (const auto id : instruction.waits) {
    Token& t = token(id);
    const LocalClock& posted = t.posted[t.taken++];
    for (int u = 0; u < kUnitCount; ++u) clock[u] = std::max(clock[u], posted[u]);
    if (t.taken == t.posted.size()) t.posted.clear(), t.taken = 0;
  }
  stamp.known = clock;
  stamp.number = ++clock[stamp.stream];
  for (const auto id : instruction.posts) token(id).posted.push_back(clock);
  return stamp;
}

const ChipClock* ChipClocks::known_by(int core, int stream, std::uint32_t number) const {
  const std::vector<Acquisition>& list = acquired_[core * kUnitCount + stream];
  const auto after = std::upper_bound(list.begin(), list.end(), number,
                                      [](std::uint32_t n, const Acquisition& a) { return n < a.number; });
  return after == list.begin() ? nullptr : (after - 1)->clock.get();
}

// Cores that met at a barrier share the clock they took from it, so few of many are joined.
ChipClock ChipClocks::after(std::span<const Stamp> stamps) const {
  std::vector<const ChipClock*> known;
  for (const Stamp& stamp : stamps)
    for (int u = 0; u < kUnitCount; ++u)
      if (const ChipClock* acquired = known_by(stamp.core, u, stamp.known[u])) known.push_back(acquired);
  keep_distinct(known);
  ChipClock clock(width_);
  for (const ChipClock* acquired : known) join(clock, *acquired);
  for (const Stamp& stamp : stamps) raise_to_own(clock, stamp);
  return clock;
}

void ChipClocks::acquire(const Stamp& stamp, const std::shared_ptr<const ChipClock>& clock) {
  std::vector<Acquisition>& list = acquired_[stamp.core * kUnitCount + stamp.stream];
  if (list.empty()) {
    list.push_back({stamp.number, clock});
    return;
  }
  const auto joined = std::make_shared<ChipClock>(*clock);
  join(*joined, *list.back().clock);
  list.push_back({stamp.number, joined});
}

// What is known after the stamped instructions holds what each of their streams had acquired before.
void ChipClocks::meet(std::span<const Stamp> stamps) {
  const auto all = std::make_shared<const ChipClock>(after(stamps));
  for (const Stamp& stamp : stamps) acquired_[stamp.core * kUnitCount + stamp.stream].push_back({stamp.number, all});
}

bool ChipClocks::ordered(const Stamp& first, const Stamp& second) const {
  if (first.core == second.core) {
    const std::uint32_t itself = first.stream == second.stream ? 1 : 0;
    if (first.number <= second.known[first.stream] + itself) return true;
  }
  // Streams of one core may also have been ordered by a signal, to the core itself or by way of another.
  for (int u = 0; u < kUnitCount; ++u) {
    const ChipClock* known = known_by(second.core, u, second.known[u]);
    if (known && (*known)[first.core * kUnitCount + first.stream] >= first.number) return true;
  }
  return false;
}

bool FlagClocks::signal(const Stamp& stamp, const std::shared_ptr<const ChipClock>& after) {
  const int id = stamp.core * kUnitCount + stamp.stream;
  bool others_proven = false;
  for (const auto& [other, producer] : producers_) others_proven |= other != id && producer.proven > 0;
  Producer& producer = producers_[id];
  ++producer.arrived;
  ++arrived_;
  producer.pending.push_back(after);
  const int waiter = last_wait_.core * kUnitCount + last_wait_.stream;
  return !others_proven || (*after)[waiter] >= last_wait_.number;
}

void FlagClocks::wait(const Stamp& stamp, int count, ChipClock& known) {
  taken_ += count;
  last_wait_ = stamp;
  for (auto& [id, producer] : producers_) {
    const std::int64_t proven = producer.arrived - (arrived_ - taken_);
    if (proven <= producer.proven) continue;
    const auto newly = static_cast<std::ptrdiff_t>(proven - producer.proven);
    join(known, *producer.pending[newly - 1]);  // a stream's later signal knows all that its earlier ones knew
    producer.pending.erase(producer.pending.begin(), producer.pending.begin() + newly);
    producer.proven = proven;
  }
}

}  // namespace tilewright
