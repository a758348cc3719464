#include "planner/estimate/queue_model/calendar.h"

#include <algorithm>

#include "sim/base/stop.h"

namespace tilewright {

void Calendar::add(Picoseconds time, QueueActor& actor, std::uint32_t what) {
  const Cycles clock = std::max(now_, clock_.ceil(time));
  if (clock - now_ >= kSlots) {
    later_.push({clock, added_++, {&actor, what}});
    return;
  }
  slot(clock).push_back({&actor, what});
  ++in_wheel_;
}

void Calendar::run() {
  for (; in_wheel_ > 0 || !later_.empty(); advance()) {
    check_stop();
    // What happens may add to this clock, and move the events.
    for (std::size_t i = 0; i < slot(now_).size(); ++i) {
      const Event event = slot(now_)[i];
      event.actor->happen(event.what, clock_.to_ps(now_));
    }
    in_wheel_ -= static_cast<std::int64_t>(slot(now_).size());
    slot(now_).clear();
  }
}

void Calendar::advance() {
  now_ = in_wheel_ > 0 || later_.empty() ? now_ + 1 : later_.top().clock;
  for (; !later_.empty() && later_.top().clock - now_ < kSlots; later_.pop()) {
    slot(later_.top().clock).push_back(later_.top().event);
    ++in_wheel_;
  }
}

}  // namespace tilewright
