#include "planner/estimate/queue_model/calendar.h"

#include <algorithm>

#include "sim/base/stop.h"

namespace tilewright {

void Calendar::add(Picoseconds time, QueueActor& actor, std::uint32_t what) {
  const Event event{std::max(now_, time), &actor, what};
  slot_clock_.floor(event.time) - slot_now_ < kSlots ? add_to_wheel(event) : later_.push({event, added_++});
}

void Calendar::add_to_wheel(const Event& event) {
  const Cycles slot = slot_clock_.floor(event.time);
  std::vector<Event>& events = events_of(slot);
  events.push_back(event);
  for (std::size_t i = events.size() - 1; i > 0 && events[i - 1].time > event.time; --i)
    std::swap(events[i - 1], events[i]);
  marks_.mark(slot);
}

void Calendar::run() {
  for (;;) {
    check_stop();
    // What happens may add to this slot, behind what is past, and move the events.
    for (std::size_t i = 0; i < events_of(slot_now_).size(); ++i) {
      const Event event = events_of(slot_now_)[i];
      now_ = event.time;
      event.actor->happen(event.what, now_);
    }
    events_of(slot_now_).clear();
    marks_.clear(slot_now_);
    if (!advance()) return;
  }
}

// To the next slot with events; false without one.
bool Calendar::advance() {
  Cycles next = marks_.next_after(slot_now_);
  if (!later_.empty()) next = std::min(next, slot_clock_.floor(later_.top().event.time));
  if (next == kNeverCycle) return false;
  slot_now_ = next;
  for (; !later_.empty() && slot_clock_.floor(later_.top().event.time) - slot_now_ < kSlots; later_.pop())
    add_to_wheel(later_.top().event);
  return true;
}

}  // namespace tilewright
