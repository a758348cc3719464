// A part of the simulated chip driven by the calendar of the queue model in place of the SystemC kernel.
#pragma once

#include <utility>

#include "planner/estimate/queue_model/calendar.h"
#include "sim/machine/port/chip_part.h"

namespace tilewright {

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
