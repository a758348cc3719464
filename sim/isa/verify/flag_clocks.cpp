#include "sim/isa/verify/flag_clocks.h"

#include <algorithm>

namespace tilewright {

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
