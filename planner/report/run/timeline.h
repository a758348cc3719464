// What every unit did when, as bars to be drawn: read from a trace.json, and made coarser where there are too many.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/units.h"

namespace tilewright {

struct TimelineBar {
  int lane = 0;
  Picoseconds begin = 0, end = 0;
  int name = 0, op = 0;  // of Timeline::names and ::operators; of an aggregated bar: what took most of it
  double busy = 1;       // share of the bar in which the lane worked
};

struct Timeline {
  std::vector<std::string> lanes;             // "core 0 load", ...
  std::vector<std::string> names, operators;  // in order of first appearance
  std::vector<TimelineBar> bars;              // by lane, then begin
  Picoseconds time = 0;                       // last end
  std::int64_t spans = 0;                     // bars before aggregation
  bool aggregated = false;
};

inline constexpr std::int64_t kMaxTimelineBars = 20'000;

// UserError naming `where` for a text that trace_file.h did not write.
Timeline read_timeline(std::string_view trace_json, const std::string& where);

// A timeline of at most `most` bars is left as it is. Else each lane's time is cut into equal slices, as many as `most`
// allows; a slice in which the lane worked becomes a bar. The busy time of every lane stays the same.
Timeline aggregate(Timeline timeline, std::int64_t most = kMaxTimelineBars);

}  // namespace tilewright
