// What happens when, for the queue model of a program: events by core clock, those of one clock in the order they were
// added.
#pragma once

#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "sim/base/units.h"
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
