#include "planner/estimate/queue_model/calendar.h"

#include <algorithm>

#include "sim/base/stop.h"

namespace tilewright {

void Calendar::add_to_wheel(Cycles slot_number, const Event& event) {
  const std::uint32_t added = place_of(event);
  Slot& slot = wheel_[marks_.slot(slot_number)];
  if (slot.first == kNone) {
    slot.first = slot.last = added;
    marks_.mark(slot_number);
  } else if (events_[slot.last].time <= event.time) {
    slot.last = events_[slot.last].next = added;
  } else {
    std::uint32_t* after = &slot.first;
    while (events_[*after].time <= event.time) after = &events_[*after].next;
    events_[added].next = *after;
    *after = added;
  }
}

std::uint32_t Calendar::place_of(const Event& event) {
  const std::uint32_t place = free_ == kNone ? static_cast<std::uint32_t>(events_.size()) : free_;
  if (free_ == kNone)
    events_.push_back(event);
  else
    free_ = events_[place].next, events_[place] = event;
  return place;
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
