#include "planner/report/run/timeline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/base/json_levels.h"

namespace tilewright {
namespace {

using UnorderedJson = nlohmann::json;

// Index of `text` in `list`, at whose end it is put when it is new.
class Names {
 public:
  explicit Names(std::vector<std::string>& list) : list_(list) {}
  int index_of(const std::string& text) {
    const auto [at, is_new] = known_.try_emplace(text, static_cast<int>(list_.size()));
    if (is_new) list_.push_back(text);
    return at->second;
  }

 private:
  std::vector<std::string>& list_;
  std::map<std::string, int> known_;
};

Picoseconds picoseconds(const UnorderedJson& microseconds) { return std::llround(microseconds.get<double>() * 1e6); }

struct LaneIds {
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, int> lanes;
};

void read_event(const UnorderedJson& event, Timeline& timeline, LaneIds& ids, Names& names, Names& operators) {
  const int process = event.at("pid");
  if (event.at("ph") == "X") {
    const Picoseconds begin = picoseconds(event.at("ts")), end = begin + picoseconds(event.at("dur"));
    timeline.bars.push_back({ids.lanes.at({process, event.at("tid")}), begin, end, names.index_of(event.at("name")),
                             operators.index_of(event.at("args").value("operator", ""))});
    timeline.time = std::max(timeline.time, end);
  } else if (event.at("name") == "process_name") {
    ids.processes[process] = event.at("args").at("name");
  } else if (event.at("name") == "thread_name") {
    ids.lanes[{process, event.at("tid")}] = static_cast<int>(timeline.lanes.size());
    timeline.lanes.push_back(ids.processes.at(process) + " " + event.at("args").at("name").get<std::string>());
  }
}

// What one lane did in one slice of time.
struct SliceWork {
  Picoseconds busy = 0;
  std::map<std::pair<int, int>, Picoseconds> by;  // (operator, name)

  void add(const TimelineBar& bar, Picoseconds time) { busy += time, by[{bar.op, bar.name}] += time; }
  std::pair<int, int> most() const {
    return std::max_element(by.begin(), by.end(), [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }
};

using Slices = std::map<std::pair<int, std::int64_t>, SliceWork>;  // (lane, slice)

void add_bar(Slices& slices, const TimelineBar& bar, Picoseconds width) {
  for (std::int64_t slice = bar.begin / width; slice * width < bar.end; ++slice) {
    const Picoseconds begin = std::max(bar.begin, slice * width), end = std::min(bar.end, (slice + 1) * width);
    if (end > begin) slices[{bar.lane, slice}].add(bar, end - begin);
  }
}

}  // namespace

Timeline read_timeline(std::string_view trace_json, const std::string& where) {
  Timeline timeline;
  check_json_levels(trace_json, where);
  try {
    LaneIds ids;
    Names names(timeline.names), operators(timeline.operators);
    const UnorderedJson trace = UnorderedJson::parse(trace_json);
    for (const UnorderedJson& event : trace.at("traceEvents")) read_event(event, timeline, ids, names, operators);
  } catch (const std::exception& error) {  // of the parser, or of a key that is not there
    throw UserError(where, fmt::format("this is no trace of a run ({})", error.what()));
  }
  std::stable_sort(timeline.bars.begin(), timeline.bars.end(), [](const TimelineBar& a, const TimelineBar& b) {
    return std::pair(a.lane, a.begin) < std::pair(b.lane, b.begin);
  });
  timeline.spans = static_cast<std::int64_t>(timeline.bars.size());
  return timeline;
}

Timeline aggregate(Timeline timeline, std::int64_t most) {
  if (timeline.spans <= most) return timeline;
  const std::int64_t slices_per_lane =
      std::max<std::int64_t>(1, most / static_cast<std::int64_t>(timeline.lanes.size()));
  const Picoseconds width = std::max<Picoseconds>(1, (timeline.time + slices_per_lane - 1) / slices_per_lane);
  Slices slices;
  for (const TimelineBar& bar : timeline.bars) add_bar(slices, bar, width);
  timeline.bars.clear();
  for (const auto& [at, work] : slices) {
    const Picoseconds begin = at.second * width, end = std::min(timeline.time, begin + width);
    const auto [op, name] = work.most();
    timeline.bars.push_back(
        {at.first, begin, end, name, op, static_cast<double>(work.busy) / static_cast<double>(end - begin)});
  }
  timeline.aggregated = true;
  return timeline;
}

}  // namespace tilewright
