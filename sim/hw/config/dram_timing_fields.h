// The timing parameters of a DRAM, as written and as resolved.
#pragma once

#include "sim/hw/config/hardware_config.h"

namespace tilewright {

struct DramTimingField {
  const char* name;
  Opt<int> DramTimingConfig::*written;
  int DramTiming::*resolved;
  bool may_be_zero;  // 0 switches the rule off
};

inline constexpr DramTimingField kDramTimingFields[] = {
    {"CL", &DramTimingConfig::CL, &DramTiming::CL, false},
    {"CWL", &DramTimingConfig::CWL, &DramTiming::CWL, false},
    {"RCDRD", &DramTimingConfig::RCDRD, &DramTiming::RCDRD, false},
    {"RCDWR", &DramTimingConfig::RCDWR, &DramTiming::RCDWR, false},
    {"RP", &DramTimingConfig::RP, &DramTiming::RP, false},
    {"RAS", &DramTimingConfig::RAS, &DramTiming::RAS, false},
    {"RC", &DramTimingConfig::RC, &DramTiming::RC, false},
    {"burst", &DramTimingConfig::burst, &DramTiming::burst, false},
    {"CCD_S", &DramTimingConfig::CCD_S, &DramTiming::CCD_S, false},
    {"CCD_L", &DramTimingConfig::CCD_L, &DramTiming::CCD_L, false},
    {"RRD_S", &DramTimingConfig::RRD_S, &DramTiming::RRD_S, false},
    {"RRD_L", &DramTimingConfig::RRD_L, &DramTiming::RRD_L, false},
    {"FAW", &DramTimingConfig::FAW, &DramTiming::FAW, true},
    {"WR", &DramTimingConfig::WR, &DramTiming::WR, false},
    {"WTR_S", &DramTimingConfig::WTR_S, &DramTiming::WTR_S, false},
    {"WTR_L", &DramTimingConfig::WTR_L, &DramTiming::WTR_L, false},
    {"RTP", &DramTimingConfig::RTP, &DramTiming::RTP, false},
    {"RTW", &DramTimingConfig::RTW, &DramTiming::RTW, false},
    {"RFC", &DramTimingConfig::RFC, &DramTiming::RFC, true},
    {"REFI", &DramTimingConfig::REFI, &DramTiming::REFI, true},
};

}  // namespace tilewright
