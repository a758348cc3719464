// Where the time of one core's matmul unit goes. Exactly one category holds at every moment, so the parts add up.
#pragma once

#include <array>

#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/base/units.h"

namespace tilewright {

enum class Activity : std::uint8_t { kIdle, kCompute, kWaitA, kWaitB, kWaitAccumulator, kWaitToken };
inline constexpr int kActivityCount = 6;

class CycleAccount {
 public:
  void reset(Picoseconds now) { state_ = State{now, Activity::kIdle, {}}; }
  // From `now` on the core does `activity`.
  void change(Activity activity, Picoseconds now) {
    state_.spent[static_cast<int>(state_.activity)] += now - state_.since;
    state_.since = now;
    state_.activity = activity;
  }
  Activity activity() const { return state_.activity; }
  Picoseconds spent(Activity activity) const { return state_.spent[static_cast<int>(activity)]; }
  // Adds `prefix`.compute_cycles and so on; the parts must sum to `total`.
  void add_statistics(const std::string& prefix, Clock clock, Picoseconds total, Statistics& statistics) const;

 private:
  struct State {
    Picoseconds since = 0;
    Activity activity = Activity::kIdle;
    std::array<Picoseconds, kActivityCount> spent{};
  };
  State state_;
};

}  // namespace tilewright
