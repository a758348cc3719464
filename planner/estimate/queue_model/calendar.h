// What happens when, for the queue model of a program: events by core clock, those of one clock in the order they were
// added.
#pragma once

#include <functional>
#include <queue>
#include <vector>

#include "sim/base/units.h"

namespace tilewright {

class QueueActor {
 public:
  virtual ~QueueActor() = default;
  // `what` as it was handed to the calendar.
  virtual void happen(std::uint32_t what, Picoseconds now) = 0;
};

class Calendar {
 public:
  explicit Calendar(Clock clock) : clock_(clock), wheel_(kSlots) {}

  // Not before the present clock; a time between two clocks counts for the later one.
  void add(Picoseconds time, QueueActor& actor, std::uint32_t what);
  // Until nothing is left to happen.
  void run();

 private:
  static constexpr Cycles kSlots = 1024;
  struct Event {
    QueueActor* actor;
    std::uint32_t what;
  };
  struct Later {  // beyond the wheel
    Cycles clock;
    std::int64_t order;
    Event event;
    bool operator>(const Later& other) const {
      return clock != other.clock ? clock > other.clock : order > other.order;
    }
  };

  std::vector<Event>& slot(Cycles clock) { return wheel_[static_cast<std::size_t>(clock % kSlots)]; }
  void advance();

  const Clock clock_;
  std::vector<std::vector<Event>> wheel_;
  std::priority_queue<Later, std::vector<Later>, std::greater<>> later_;
  Cycles now_ = 0;
  std::int64_t in_wheel_ = 0, added_ = 0;
};

}  // namespace tilewright
