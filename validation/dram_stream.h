// The request streams of the published DRAM comparison (tests/reference/dram/README.md), driven through one controller.
#pragma once

#include <optional>
#include <string_view>

#include "sim/hw/config/dram_spec.h"

namespace tilewright {

enum class DramPattern { kSeqRead, kSeqReadWrite, kRandomRead, kSameBank, kFourStreams, kTiled2d };
// kSaturated: every request is due at clock 0. kClosed32: so too, with at most 32 reads outstanding. kOpen: one request
// is due per fixed time.
enum class DramRate { kSaturated, kClosed32, kOpen };

std::optional<DramPattern> parse_dram_pattern(std::string_view name);  // "seq_read", "seq_rw_2to1", ...
std::optional<DramRate> parse_dram_rate(std::string_view name);        // "saturated", "closed32", "open"

struct DramStream {
  DramPattern pattern = DramPattern::kSeqRead;
  DramRate rate = DramRate::kSaturated;
  int percent_of_peak = 0;  // kOpen
  int requests = 131072;    // of one burst each
};

struct DramStreamRequest {
  Address address;
  bool write;
};
// Number `index` of the stream; addresses wrap at the capacity of the channel.
DramStreamRequest stream_request(const DramSpec& spec, DramPattern pattern, std::int64_t index);

struct DramStreamResult {
  Cycles total_clocks = 0;  // clock 0 to the last data beat of a read or the acceptance of a write
  double bytes_per_clock = 0;
  // Reads, in clocks, from when the request was due (open) or accepted (closed32) to its last data beat. Under
  // kSaturated requests are due at clock 0, so these mean nothing.
  double mean_latency = 0, p99_latency = 0;
  double row_hit_rate = 0;  // max(0, 1 - activates / bursts)
};

// One in-order source into one pseudo channel from a cold start.
DramStreamResult run_stream(const DramSpec& spec, const DramStream& stream);

}  // namespace tilewright
