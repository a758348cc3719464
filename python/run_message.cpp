#include "python/run_message.h"

#include <cstring>
#include <type_traits>

#include "sim/base/error.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

class Writer {
 public:
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put(const std::string& text) { put_run(text.data(), text.size()); }
  void put(const std::vector<std::byte>& bytes) { put_run(reinterpret_cast<const char*>(bytes.data()), bytes.size()); }
  template <typename T, typename Put>
  void put_all(const std::vector<T>& items, Put put_one) {
    put(items.size());
    for (const T& item : items) put_one(item);
  }
  std::string take() { return std::move(bytes_); }

 private:
  void put_run(const char* bytes, std::size_t count) {
    put(count);
    bytes_.append(bytes, count);
  }

  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}

  template <typename T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value;
    std::memcpy(&value, run(sizeof value), sizeof value);
    return value;
  }
  std::string text() {
    const auto count = get<std::size_t>();
    return {run(count), count};
  }
  std::vector<std::byte> data() {
    const auto count = get<std::size_t>();
    const auto* begin = reinterpret_cast<const std::byte*>(run(count));
    return {begin, begin + count};
  }
  template <typename Get>
  auto all(Get get_one) {
    std::vector<decltype(get_one())> items(get<std::size_t>());
    for (auto& item : items) item = get_one();
    return items;
  }

 private:
  const char* run(std::size_t count) {
    SIM_CHECK(count <= bytes_.size() - at_, "a message of {} bytes is too short", bytes_.size());
    const char* begin = bytes_.data() + at_;
    at_ += count;
    return begin;
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

void put_segments(Writer& out, const std::vector<SegmentData>& segments) {
  out.put_all(segments, [&](const SegmentData& segment) { out.put(segment.segment), out.put(segment.bytes); });
}

std::vector<SegmentData> segments_from(Reader& in) {
  return in.all([&] {
    SegmentData segment{in.text(), {}};
    segment.bytes = in.data();
    return segment;
  });
}

void put_waveform(Writer& out, const std::optional<WaveformOptions>& waveform) {
  out.put(waveform.has_value());
  if (waveform) out.put(waveform->path), out.put(waveform->from), out.put(waveform->to);
}

std::optional<WaveformOptions> waveform_from(Reader& in) {
  if (!in.get<bool>()) return {};
  WaveformOptions waveform{.path = in.text()};
  waveform.from = in.get<Picoseconds>(), waveform.to = in.get<Picoseconds>();
  return waveform;
}

void put_statistics(Writer& out, const Statistics& statistics) {
  out.put_all(statistics.all(), [&](const Statistic& statistic) {
    out.put(statistic.name), out.put(statistic.unit), out.put(statistic.description), out.put(statistic.value);
  });
}

Statistics statistics_from(Reader& in) {
  Statistics statistics;
  for (auto left = in.get<std::size_t>(); left > 0; --left) {
    std::string name = in.text(), unit = in.text(), description = in.text();
    statistics.add(std::move(name), std::move(unit), std::move(description), in.get<double>());
  }
  return statistics;
}

}  // namespace

std::string to_bytes(const Program& program, const RunOptions& options, bool trace) {
  Writer out;
  out.put(encode(program));
  out.put(options.values), out.put(options.causes), out.put(trace);
  put_segments(out, options.initial);
  out.put_all(options.keep, [&](const std::string& name) { out.put(name); });
  put_waveform(out, options.waveform);
  return out.take();
}

RunQuery query_from_bytes(const std::string& bytes) {
  Reader in(bytes);
  RunQuery query{decode(in.data(), "program"), {}};
  query.options.values = in.get<bool>(), query.options.causes = in.get<bool>(), query.trace = in.get<bool>();
  query.options.initial = segments_from(in);
  query.options.keep = in.all([&] { return in.text(); });
  query.options.waveform = waveform_from(in);
  return query;
}

std::string to_bytes(const Execution& execution) {
  const RunResult& result = execution.result;
  Writer out;
  out.put(result.time);
  out.put_all(result.operators, [&](const OperatorResult& op) { out.put(op); });
  out.put_all(result.causes, [&](const CauseTimes& times) { out.put(times); });
  put_statistics(out, result.statistics);
  put_segments(out, result.kept);
  out.put(execution.trace);
  return out.take();
}

Execution execution_from_bytes(const std::string& bytes) {
  Reader in(bytes);
  Execution execution;
  RunResult& result = execution.result;
  result.time = in.get<Picoseconds>();
  result.operators = in.all([&] { return in.get<OperatorResult>(); });
  result.causes = in.all([&] { return in.get<CauseTimes>(); });
  result.statistics = statistics_from(in);
  result.kept = segments_from(in);
  execution.trace = in.text();
  return execution;
}

}  // namespace tilewright
