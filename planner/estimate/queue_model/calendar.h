// What happens when, for the queue model of a program: events in order of time, those of one time in the order they
// were added.
#pragma once

#include <algorithm>
#include <bit>
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
      : slot_bits_(std::bit_width(static_cast<std::uint64_t>(clock.period_ps / kSlotsOfAClock))),
        marks_(kSlots),
        wheel_(marks_.size()) {}

  // Not before the present time.
  void add(Picoseconds time, QueueActor& actor, std::uint32_t what) {
    const Event event{std::max(now_, time), &actor, what};
    const Cycles slot = slot_of(event.time);
    if (slot - slot_now_ < kSlots)
      add_to_wheel(slot, event);
    else
      later_.push({event, added_++});
  }
  // Until nothing is left to happen, or something stops it; false where something is left, that happens after `end` or
  // was stopped.
  bool run(Picoseconds end = kNever);
  void stop() { stopped_ = true; }

 private:
  // Large chips have dozens of events in a clock; few in a slot keep their order cheap. The slots reach farther than
  // most answers of a busy memory lie ahead.
  static constexpr int kSlotsOfAClock = 4, kSlots = 4095;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Event {
    Picoseconds time;
    QueueActor* actor;
    std::uint32_t what;
    std::uint32_t next = kNone;  // in its slot, or of the places that are free
  };
  struct Slot {  // events in order
    std::uint32_t first = kNone, last = kNone;
  };
  struct Later {  // beyond the wheel
    Event event;
    std::int64_t order;
    bool operator>(const Later& other) const {
      return event.time != other.event.time ? event.time > other.event.time : order > other.order;
    }
  };

  Cycles slot_of(Picoseconds time) const { return time >> slot_bits_; }
  void add_to_wheel(Cycles slot_number, const Event& event) {
    const std::uint32_t added = place_of(event);
    Slot& slot = wheel_[marks_.slot(slot_number)];
    if (slot.first == kNone) {
      slot.first = slot.last = added;
      marks_.mark(slot_number);
    } else if (events_[slot.last].time <= event.time) {
      slot.last = events_[slot.last].next = added;
    } else {
      insert_before_later(slot, added);
    }
  }
  std::uint32_t place_of(const Event& event) {
    if (free_ == kNone) {
      events_.push_back(event);
      return static_cast<std::uint32_t>(events_.size() - 1);
    }
    const std::uint32_t place = free_;
    free_ = events_[place].next;
    events_[place] = event;
    return place;
  }
  void insert_before_later(Slot& slot, std::uint32_t added);
  void happen_in(Slot& slot);
  bool advance();

  const int slot_bits_;  // a slot is a power of two of picoseconds, so finding one takes no division
  CycleMarks marks_;     // slots behind the present one with events
  std::vector<Slot> wheel_;
  std::vector<Event> events_;   // places: those of the wheel, and free ones
  std::uint32_t free_ = kNone;  // the first of these
  std::priority_queue<Later, std::vector<Later>, std::greater<>> later_;
  Picoseconds now_ = 0;
  Cycles slot_now_ = 0;
  std::int64_t added_ = 0;
  bool stopped_ = false;
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
