// What happens when, for the queue model of a program: events in order of time, those of one time in the order they
// were added.
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "sim/base/units.h"
#include "sim/machine/network/cycle_wheel.h"
#include "sim/machine/port/chip_part.h"

namespace tilewright {

class QueueActor {
 public:
  virtual ~QueueActor() = default;
  // `what` as it was handed to the calendar.
  virtual void happen(std::uint32_t what, Picoseconds now) = 0;
};

class Calendar {
 public:
  explicit Calendar(Clock clock)
      : slot_clock_{std::max<Picoseconds>(1, clock.period_ps / kSlotsOfAClock)},
        marks_(kSlots),
        wheel_(marks_.size()) {}

  // Not before the present time.
  void add(Picoseconds time, QueueActor& actor, std::uint32_t what);
  // Until nothing is left to happen.
  void run();

 private:
  // Large chips have dozens of events in a clock; few in a slot keep their order cheap.
  static constexpr int kSlotsOfAClock = 4, kSlots = 1023;
  struct Event {
    Picoseconds time;
    QueueActor* actor;
    std::uint32_t what;
  };
  struct Later {  // beyond the wheel
    Event event;
    std::int64_t order;
    bool operator>(const Later& other) const {
      return event.time != other.event.time ? event.time > other.event.time : order > other.order;
    }
  };

  std::vector<Event>& events_of(Cycles slot) { return wheel_[marks_.slot(slot)]; }
  void add_to_wheel(const Event& event);
  bool advance();

  const Clock slot_clock_;
  CycleMarks marks_;                       // slots behind the present one with events
  std::vector<std::vector<Event>> wheel_;  // each by time
  std::priority_queue<Later, std::vector<Later>, std::greater<>> later_;
  Picoseconds now_ = 0;
  Cycles slot_now_ = 0;
  std::int64_t added_ = 0;
};

// A part of the simulated chip driven by the calendar of the queue model in place of the SystemC kernel.
template <typename Part>
class QueuePart final : public QueueActor, public Waker {
 public:
  // `arguments` of the part, whose last parameter is the Waker.
  template <typename... Arguments>
  explicit QueuePart(Calendar& calendar, Arguments&&... arguments)
      : calendar_(calendar), part_(std::forward<Arguments>(arguments)..., *this) {}

  Part& part() { return part_; }

  void wake_at(Picoseconds time) override {
    if (time >= due_) return;
    due_ = time;
    calendar_.add(time, *this, 0);
  }
  // An entry that an earlier one has made superfluous finds nothing due.
  void happen(std::uint32_t, Picoseconds now) override {
    if (due_ > now) return;
    due_ = kNever;
    wake_at(part_.evaluate(now));
  }

 private:
  Calendar& calendar_;
  Picoseconds due_ = kNever;
  Part part_;
};

}  // namespace tilewright
