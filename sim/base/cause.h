// What the time of a core goes to: its matmul unit computes, or what it lacks is held up by one of these.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/base/units.h"

namespace tilewright {

enum class Cause : std::uint8_t {
  kCompute,
  kDramBandwidth,
  kDramLatency,
  kBankConflict,
  kNetwork,
  kClusterMemory,
  kDma,
  kVector,
  kSerial,
  kOtherCore,
  kDispatch,
  kPostedWrites,
  kIdle
};
inline constexpr int kCauseCount = 13;

struct CauseInfo {
  std::string_view name;   // in files
  std::string_view title;  // for people: the head of a column
  std::string_view meaning;
};
const CauseInfo& info_of(Cause cause);

// Of one core, in picoseconds; adds up to the time of the run.
using CauseTimes = std::array<Picoseconds, kCauseCount>;

}  // namespace tilewright
