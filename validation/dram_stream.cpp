#include "validation/dram_stream.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/base/error.h"
#include "sim/base/random.h"
#include "sim/hw/timing/address_map.h"
#include "sim/machine/dram/dram_controller.h"

namespace tilewright {
namespace {

constexpr int kOutstanding = 32;
constexpr Bytes kMiB = Bytes{1} << 20;

template <typename T, std::size_t N>
std::optional<T> find(const std::array<std::pair<std::string_view, T>, N>& names, std::string_view name) {
  for (const auto& [known, value] : names)
    if (known == name) return value;
  return std::nullopt;
}

// 128 rows of 256 bytes at a pitch of 8 KiB, 32 tiles side by side.
Address tiled_address(Bytes size, std::int64_t index) {
  const Bytes per_row = 256 / size;
  const std::int64_t tile = index / (128 * per_row), row = index / per_row % 128, column = index % per_row;
  return tile / 32 * kMiB + row * 8192 + tile % 32 * 256 + column * size;
}

// Address of the next row of the same bank and bank group, whatever the mapping: one bank row of every bank further.
Bytes bank_stride(const DramSpec& spec) { return spec.row_bytes * spec.bank_groups * spec.banks_per_group; }

DramStreamRequest unwrapped(const DramSpec& spec, DramPattern pattern, std::int64_t i) {
  const Bytes size = spec.burst_bytes;
  switch (pattern) {
    case DramPattern::kSeqRead:
      return {i * size, false};
    case DramPattern::kSeqReadWrite:
      if (i % 3 == 2) return {spec.channel_capacity / 2 + i / 3 * size, true};
      return {(2 * (i / 3) + i % 3) * size, false};
    case DramPattern::kRandomRead:
      return {static_cast<Address>(SplitMix64::at(0, static_cast<std::uint64_t>(i)) %
                                   static_cast<std::uint64_t>(spec.channel_capacity / size)) *
                  size,
              false};
    case DramPattern::kSameBank:
      return {i * bank_stride(spec), false};
    case DramPattern::kFourStreams:
      return {i % 4 * kMiB + i / 4 * size, false};
    case DramPattern::kTiled2d:
      return {tiled_address(size, i), false};
  }
  SIM_CHECK(false, "unknown DRAM pattern");
}

class StreamRun {
 public:
  StreamRun(const DramSpec& spec, const DramStream& stream)
      : spec_(spec), stream_(stream), controller_(spec), start_(stream.requests), done_(stream.requests) {}

  DramStreamResult run() {
    if (stream_.rate == DramRate::kClosed32)
      push_closed();
    else
      push_open();
    while (step()) {
    }
    return result();
  }

 private:
  // Pushes everything with its due time; the queue in front of the controller holds what is not accepted yet.
  void push_open() {
    for (int i = 0; i < stream_.requests; ++i) {
      const Cycles due =
          stream_.rate == DramRate::kOpen ? Cycles{i} * spec_.timing.burst * 100 / stream_.percent_of_peak : Cycles{0};
      push(i, due);
    }
  }

  // Offers one request per clock, a read only while fewer than 32 are outstanding.
  void push_closed() {
    Cycles clock = 0;
    int outstanding = 0;
    for (int i = 0; i < stream_.requests; ++i) {
      const bool write = stream_request(spec_, stream_.pattern, i).write;
      if (!write && outstanding == kOutstanding) {
        while (returned_ == returns_.size()) step();
        clock = std::max(clock, returns_[returned_++]);
        --outstanding;
      }
      push(i, clock);
      outstanding += !write;
      while (write && done_[i] == 0) step();
      clock = (write ? done_[i] - 1 : clock) + 1;
    }
  }

  void push(int index, Cycles clock) {
    const DramStreamRequest request = stream_request(spec_, stream_.pattern, index);
    const DramCoordinate at = coordinate_of(spec_, request.address);
    start_[index] = request.write ? kNeverCycle : clock;
    controller_.push({.bank = at.bank_group * spec_.banks_per_group + at.bank,
                      .row = at.row,
                      .bursts = 1,
                      .write = request.write,
                      .op = 0,
                      .id = static_cast<std::uint32_t>(index)},
                     clock);
  }

  // To the next completion; false when nothing is left.
  bool step() {
    const Cycles next = controller_.next_wakeup();
    if (next == kNeverCycle) return false;
    controller_.advance(next);
    for (const DramCompletion& completion : controller_.completions()) {
      // Plus one, so that 0 means not yet.
      done_[completion.id] = completion.clock + 1;
      if (start_[completion.id] != kNeverCycle) returns_.push_back(completion.clock);
    }
    controller_.completions().clear();
    return true;
  }

  DramStreamResult result() const {
    DramStreamResult result;
    result.total_clocks = *std::max_element(done_.begin(), done_.end()) - 1;
    result.bytes_per_clock =
        static_cast<double>(stream_.requests * spec_.burst_bytes) / static_cast<double>(result.total_clocks);
    add_latency(result);
    const DramCounters& counters = controller_.counters();
    const auto bursts = static_cast<double>(counters.read_bursts + counters.write_bursts);
    result.row_hit_rate = std::max(0.0, 1 - static_cast<double>(counters.activates) / bursts);
    return result;
  }

  void add_latency(DramStreamResult& result) const {
    std::vector<Cycles> latencies;
    for (int i = 0; i < stream_.requests; ++i)
      if (start_[i] != kNeverCycle) latencies.push_back(done_[i] - 1 - start_[i]);
    std::sort(latencies.begin(), latencies.end());
    double sum = 0;
    for (Cycles latency : latencies) sum += static_cast<double>(latency);
    result.mean_latency = sum / static_cast<double>(latencies.size());
    result.p99_latency = static_cast<double>(latencies[latencies.size() * 99 / 100]);
  }

  const DramSpec& spec_;
  const DramStream stream_;
  DramController controller_;
  std::vector<Cycles> start_, done_;  // per request; start kNeverCycle: a write. done: clock + 1
  std::vector<Cycles> returns_;       // of reads, in order of time
  std::size_t returned_ = 0;          // of these, used up by the closed loop
};

}  // namespace

std::optional<DramPattern> parse_dram_pattern(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, DramPattern>, 6> kNames{{
      {"seq_read", DramPattern::kSeqRead},
      {"seq_rw_2to1", DramPattern::kSeqReadWrite},
      {"random_read", DramPattern::kRandomRead},
      {"same_bank_diff_row_read", DramPattern::kSameBank},
      {"four_stream_read", DramPattern::kFourStreams},
      {"tiled2d_read", DramPattern::kTiled2d},
  }};
  return find(kNames, name);
}

std::optional<DramRate> parse_dram_rate(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, DramRate>, 3> kNames{
      {{"saturated", DramRate::kSaturated}, {"closed32", DramRate::kClosed32}, {"open", DramRate::kOpen}}};
  return find(kNames, name);
}

DramStreamRequest stream_request(const DramSpec& spec, DramPattern pattern, std::int64_t index) {
  DramStreamRequest request = unwrapped(spec, pattern, index);
  request.address %= spec.channel_capacity;
  return request;
}

DramStreamResult run_stream(const DramSpec& spec, const DramStream& stream) { return StreamRun(spec, stream).run(); }

}  // namespace tilewright
