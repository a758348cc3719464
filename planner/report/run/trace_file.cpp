#include "planner/report/run/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

namespace tilewright {
namespace {

using Index = std::map<std::string, int, std::less<>>;

int index_of(Index& index, std::string_view key) {
  auto found = index.find(key);
  if (found == index.end()) found = index.emplace(key, static_cast<int>(index.size())).first;
  return found->second;
}

std::vector<std::string> by_number(const Index& index) {
  std::vector<std::string> keys(index.size());
  for (const auto& [key, number] : index) keys[number] = key;
  return keys;
}

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// "core 10/matmul" -> ("core", 10, "matmul"): so that core 10 comes after core 9.
std::tuple<std::string, long, std::string> lane_order(const std::string& lane) {
  const std::size_t slash = std::min(lane.find('/'), lane.size());
  const std::size_t digits = std::min(lane.find_first_of("0123456789"), slash);
  const long number = digits < slash ? std::strtol(lane.c_str() + digits, nullptr, 10) : -1;
  return {lane.substr(0, digits), number, lane.substr(slash)};
}

struct Place {
  int process = 0, thread = 0;
};

// Numbers every lane in the order of lane_order(), and names them for the viewer.
class Lanes {
 public:
  Lanes(const std::vector<std::string>& names, std::string& out) : places_(names.size()), out_(out) {
    std::vector<int> order(names.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return lane_order(names[a]) < lane_order(names[b]); });
    std::string group;
    for (int lane : order) {
      const std::size_t slash = names[lane].find('/');
      const std::string process = names[lane].substr(0, slash);
      if (processes_ == 0 || process != group) start_process(group = process);
      places_[lane] = {processes_, ++threads_};
      name_thread(places_[lane], slash == std::string::npos ? process : names[lane].substr(slash + 1));
    }
  }

  Place place(int lane) const { return places_[lane]; }

 private:
  void start_process(const std::string& name) {
    ++processes_;
    fmt::format_to(std::back_inserter(out_),
                   R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}},)"
                   "\n"
                   R"({{"ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}}}},)"
                   "\n",
                   processes_, json_string(name), processes_, processes_);
  }
  void name_thread(Place at, const std::string& name) {
    fmt::format_to(std::back_inserter(out_),
                   R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}},)"
                   "\n",
                   at.process, at.thread, json_string(name));
  }

  std::vector<Place> places_;
  std::string& out_;
  int processes_ = 0, threads_ = 0;
};

}  // namespace

std::string trace_microseconds(Picoseconds time) { return fmt::format("{}.{:06}", time / 1000000, time % 1000000); }

void TraceRecorder::span(const std::string& lane, std::string_view name, Picoseconds begin, Picoseconds end, int op) {
  spans_.push_back({begin, end, index_of(lanes_, lane), index_of(names_, name), op});
}

std::string TraceRecorder::to_json(const std::vector<std::string>& operators) const {
  std::vector<std::string> names = by_number(names_), labels;
  for (std::string& name : names) name = json_string(name);
  for (const std::string& op : operators) labels.push_back(json_string(op));
  std::vector<Span> ordered = spans_;
  std::stable_sort(ordered.begin(), ordered.end(), [](const Span& a, const Span& b) {
    return std::tie(a.end, a.begin, a.lane) < std::tie(b.end, b.begin, b.lane);
  });

  std::string out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  const Lanes lanes(by_number(lanes_), out);
  std::vector<Picoseconds> busy_until(lanes_.size(), 0);
  for (const Span& span : ordered) {
    const Place at = lanes.place(span.lane);
    const Picoseconds drawn = std::max(span.begin, busy_until[span.lane]);
    busy_until[span.lane] = span.end;
    fmt::format_to(
        std::back_inserter(out),
        R"({{"ph":"X","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{"operator":{},"started_us":{}}}}},)"
        "\n",
        names[span.name], at.process, at.thread, trace_microseconds(drawn), trace_microseconds(span.end - drawn),
        labels.at(span.op), trace_microseconds(span.begin));
  }
  if (out.ends_with(",\n")) out.erase(out.size() - 2, 1);
  return out + "]}\n";
}

}  // namespace tilewright
