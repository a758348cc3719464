// Everything that is counted and costs energy. One row per event: the hardware file gives its picojoules, the run
// counts it per operator, and energy is the product; so energy adds up per component and per operator by construction.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/base/units.h"

namespace tilewright {

enum class Event : std::uint8_t {
  kDramActivate,      // one row opened (and later closed)
  kDramReadBytes,     // bytes of read bursts, as transferred
  kDramWriteBytes,    // bytes of write bursts, as transferred
  kDramRefresh,       // one all-bank refresh of one channel
  kFlitHop,           // one flit over one router and its output link
  kNetworkAdd,        // one element added in a router
  kClusterReadBytes,  // cluster cache or cluster memory
  kClusterWriteBytes,
  kBufferReadBytes,  // input buffers A and B
  kBufferWriteBytes,
  kAccumulatorReadBytes,
  kAccumulatorWriteBytes,
  kMacInt8,
  kMacFp8,   // both forms
  kMacFp16,  // fp16 and bf16
  kMacFp32,
  kVectorElement,  // one element through one vector operation
  kInstruction,    // fetched and dispatched
};
inline constexpr int kEventCount = 18;

// Multiply-adds, of whatever type.
inline constexpr std::array kMacEvents{Event::kMacInt8, Event::kMacFp8, Event::kMacFp16, Event::kMacFp32};

struct EventInfo {
  std::string_view name;       // key in hardware files and reports, e.g. "dram_read_bytes"
  std::string_view component;  // "dram", "network", "cluster", "buffers", "matmul", "vector", "control"
  std::string_view unit;       // "bytes", "flits", "MACs", ...
  std::string_view description;
};
const EventInfo& info_of(Event event);

using EventCounts = std::array<std::int64_t, kEventCount>;

// Counts per operator of the program; index 0 is "no operator" (refresh, control).
class EventMeter {
 public:
  void reset(int operators) { counts_.assign(operators, EventCounts{}); }
  void add(int op, Event event, std::int64_t count) { counts_[op][static_cast<int>(event)] += count; }
  const std::vector<EventCounts>& per_operator() const { return counts_; }
  EventCounts total() const;

 private:
  std::vector<EventCounts> counts_;
};

// Bytes between cores and DRAM by how far they go.
struct MemoryTraffic {
  Bytes local = 0;   // to and from the memory next to the core's cluster
  Bytes remote = 0;  // any other memory
  bool operator==(const MemoryTraffic&) const = default;
};

}  // namespace tilewright
