#include "sim/hw/config/dram_presets.h"

namespace tilewright {

const std::vector<DramPreset>& dram_presets() {
  // name, tCK in ps, pseudo channels, MiB per channel, bank groups, banks per group, row bytes, burst bytes
  // clang-format off
  static const std::vector<DramPreset> presets{
      {"DDR4_2400U", 833, 1, 8192, 4, 4, 8192, 64,
       {.CL = 17, .CWL = 12, .RCDRD = 17, .RCDWR = 17, .RP = 17, .RAS = 39, .RC = 56, .burst = 4, .CCD_S = 4,
        .CCD_L = 6, .RRD_S = 4, .RRD_L = 6, .FAW = 26, .WR = 18, .WTR_S = 3, .WTR_L = 9, .RTP = 9, .RTW = 11,
        .RFC = 420, .REFI = 9360},
       "JESD79-4, 8 Gb x8, 64-bit channel of one rank; RFC 350 ns"},
      {"HBM2_2000", 1000, 1, 512, 4, 4, 1024, 32,
       {.CL = 14, .CWL = 5, .RCDRD = 14, .RCDWR = 12, .RP = 14, .RAS = 34, .RC = 48, .burst = 2, .CCD_S = 2,
        .CCD_L = 4, .RRD_S = 4, .RRD_L = 4, .FAW = 15, .WR = 16, .WTR_S = 6, .WTR_L = 8, .RTP = 5, .RTW = 13,
        .RFC = 260, .REFI = 3900},
       "JESD235, 8 Gb per channel, one 64-bit pseudo channel",
       true},
      {"HBM2_2.5Gbps", 833, 2, 512, 4, 4, 512, 32,
       {.CL = 9, .CWL = 3, .RCDRD = 9, .RCDWR = 9, .RP = 9, .RAS = 21, .RC = 23, .burst = 2, .CCD_S = 1, .CCD_L = 2,
        .RRD_S = 3, .RRD_L = 4, .FAW = 19, .WR = 10, .WTR_S = 4, .WTR_L = 5, .RTP = 4, .RTW = 10, .RFC = 420,
        .REFI = 4680},
       "Ramulator 2 preset as used by ONNXim; RTP is its long value, RTW = CL + burst + 2 - CWL as its rules have it, RFC 350 ns",
       true},
      {"DDR4_1600J", 1250, 1, 32768, 4, 4, 8192, 64,
       {.CL = 10, .CWL = 9, .RCDRD = 10, .RCDWR = 10, .RP = 10, .RAS = 28, .RC = 38, .burst = 4, .CCD_S = 4,
        .CCD_L = 5, .RRD_S = 4, .RRD_L = 5, .FAW = 16, .WR = 12, .WTR_S = 2, .WTR_L = 6, .RTP = 6, .RTW = 7,
        .RFC = 440, .REFI = 6240},
       "Ramulator 2 preset, 16 Gb x4, 64-bit channel of one rank; RTW = CL + burst + 2 - CWL; RFC 550 ns"},
      {"LPDDR4_3200", 625, 1, 1024, 1, 8, 2048, 32,
       {.CL = 28, .CWL = 14, .RCDRD = 29, .RCDWR = 29, .RP = 34, .RAS = 68, .RC = 102, .burst = 8, .CCD_S = 8,
        .CCD_L = 8, .RRD_S = 16, .RRD_L = 16, .FAW = 64, .WR = 29, .WTR_S = 16, .WTR_L = 16, .RTP = 12, .RTW = 30,
        .RFC = 448, .REFI = 6246},
       "JESD209-4, 8 Gb, one 16-bit channel: tRCD 18 ns, tRPab 21 ns, tRAS 42 ns, tRRD 10 ns, tFAW 40 ns, tWTR 10 ns, "
       "tRFCab 280 ns; RTW = CL + tDQSCK (6) + burst + tWPRE (2) - CWL"},
  };
  // clang-format on
  return presets;
}

const DramPreset* find_dram_preset(const std::string& name) {
  for (const DramPreset& preset : dram_presets())
    if (preset.name == name) return &preset;
  return nullptr;
}

}  // namespace tilewright
