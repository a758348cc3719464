#include "planner/emit/operand_chain.h"

#include <algorithm>
#include <utility>

#include "sim/base/error.h"

namespace tilewright {

void OperandChain::begin_step(const Outer& outer, bool there) {
  if (!active()) return;
  if (moves_ && place_.from != kNoCore) signal(place_.from, flag_taken(pipeline_.core()));
  before_ = std::exchange(strips_, {});
  moves_ = outer_ == outer && !there;
  outer_ = outer;
  if (!moves_ || place_.to == kNoCore) return;
  signal(place_.to, flag_there(pipeline_.core()));
  handed_.push_back(before_);
}

void OperandChain::await() {
  if (moves_ && place_.from != kNoCore) wait(flag_there(place_.from));
}

std::optional<Box> OperandChain::source(std::int64_t strip, const AreaRing::Found& at) {
  if (!active()) return std::nullopt;
  strips_[strip] = at.address;
  if (!at.fresh) return std::nullopt;
  wait_until_taken(at.address);
  if (!moves_ || place_.from == kNoCore) return std::nullopt;
  return Box{space_, before_.at(strip), {}, place_.from};
}

void OperandChain::finish() {
  if (moves_ && place_.from != kNoCore) signal(place_.from, flag_taken(pipeline_.core()));
  for (; !handed_.empty(); handed_.pop_front()) wait(flag_taken(place_.to));
}

// What lies at `address` now.
void OperandChain::wait_until_taken(Address address) {
  const auto lies_there = [&](const auto& strip) { return strip.second == address; };
  const auto overwritten =
      std::ranges::find_if(handed_, [&](const Strips& strips) { return std::ranges::any_of(strips, lies_there); });
  if (overwritten == handed_.end()) return;
  for (auto count = overwritten - handed_.begin() + 1; count > 0; --count) {
    wait(flag_taken(place_.to));
    handed_.pop_front();
  }
}

}  // namespace tilewright
