#include "sim/hw/timing/dram_timing_table.h"

namespace tilewright {

std::string_view name_of(DramCommand command) {
  static constexpr std::array<std::string_view, kDramCommandCount> kNames{"ACT", "PRE", "PREA", "RD", "WR", "REF"};
  return kNames[static_cast<int>(command)];
}

std::vector<DramRule> timing_rules(const DramTiming& t) {
  using enum DramScope;
  using enum DramCommand;
  const int write_data = t.CWL + t.burst;  // from the write command to the end of its data
  return {
      {kBank, kActivate, kRead, t.RCDRD, 1, "tRCDRD"},
      {kBank, kActivate, kWrite, t.RCDWR, 1, "tRCDWR"},
      {kBank, kActivate, kPrecharge, t.RAS, 1, "tRAS"},
      {kBank, kActivate, kActivate, t.RC, 1, "tRC"},
      {kBank, kPrecharge, kActivate, t.RP, 1, "tRP"},
      {kBank, kRead, kPrecharge, t.RTP, 1, "tRTP"},
      {kBank, kWrite, kPrecharge, write_data + t.WR, 1, "tWR"},

      {kBankGroup, kRead, kRead, t.CCD_L, 1, "tCCD_L"},
      {kBankGroup, kWrite, kWrite, t.CCD_L, 1, "tCCD_L"},
      {kBankGroup, kWrite, kRead, write_data + t.WTR_L, 1, "tWTR_L"},
      {kBankGroup, kActivate, kActivate, t.RRD_L, 1, "tRRD_L"},

      {kRank, kRead, kRead, t.burst_gap(), 1, "tCCD_S"},
      {kRank, kWrite, kWrite, t.burst_gap(), 1, "tCCD_S"},
      {kRank, kRead, kWrite, t.RTW, 1, "tRTW"},
      {kRank, kWrite, kRead, write_data + t.WTR_S, 1, "tWTR_S"},
      {kRank, kActivate, kActivate, t.RRD_S, 1, "tRRD_S"},
      {kRank, kActivate, kActivate, t.FAW, kActivateWindow, "tFAW"},

      {kRank, kActivate, kPrechargeAll, t.RAS, 1, "tRAS"},
      {kRank, kRead, kPrechargeAll, t.RTP, 1, "tRTP"},
      {kRank, kWrite, kPrechargeAll, write_data + t.WR, 1, "tWR"},
      {kRank, kPrechargeAll, kActivate, t.RP, 1, "tRP"},
      {kRank, kPrechargeAll, kRefresh, t.RP, 1, "tRP"},
      {kRank, kPrecharge, kRefresh, t.RP, 1, "tRP"},
      {kRank, kActivate, kRefresh, t.RC, 1, "tRC"},
      {kRank, kRefresh, kActivate, t.RFC, 1, "tRFC"},
      {kRank, kRefresh, kRefresh, t.RFC, 1, "tRFC"},
  };
}

DramRulesByCommand group_by_preceding(const std::vector<DramRule>& rules) {
  DramRulesByCommand grouped;
  for (const DramRule& rule : rules)
    if (rule.window == 1) grouped[static_cast<int>(rule.preceding)].push_back(rule);
  return grouped;
}

}  // namespace tilewright
