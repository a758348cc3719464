#include "planner/estimate/queue_model/calendar.h"

#include <algorithm>

#include "sim/base/stop.h"

namespace tilewright {

void Calendar::insert_before_later(Slot& slot, std::uint32_t added) {
  std::uint32_t* after = &slot.first;
  while (events_[*after].time <= events_[added].time) after = &events_[*after].next;
  events_[added].next = *after;
  *after = added;
}

bool Calendar::run(Picoseconds end) {
  const Cycles last = slot_of(end);
  do {
    check_stop();
    happen_in(wheel_[marks_.slot(slot_now_)]);
    marks_.clear(slot_now_);
    if (!advance()) return true;
  } while (slot_now_ <= last && !stopped_);
  return false;
}

// What happens may add to this slot, behind what is past.
void Calendar::happen_in(Slot& slot) {
  while (slot.first != kNone) {
    const std::uint32_t place = slot.first;
    const Event event = events_[place];
    slot.first = event.next;
    if (slot.first == kNone) slot.last = kNone;
    events_[place].next = free_, free_ = place;
    now_ = event.time;
    event.actor->happen(event.what, now_);
  }
}

// To the next slot with events; false without one.
bool Calendar::advance() {
  Cycles next = marks_.next_after(slot_now_);
  if (!later_.empty()) next = std::min(next, slot_of(later_.top().event.time));
  if (next == kNeverCycle) return false;
  slot_now_ = next;
  for (; !later_.empty() && slot_of(later_.top().event.time) - slot_now_ < kSlots; later_.pop())
    add_to_wheel(slot_of(later_.top().event.time), later_.top().event);
  return true;
}

}  // namespace tilewright
