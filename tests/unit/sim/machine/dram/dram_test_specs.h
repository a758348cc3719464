// The two memories the tests use: timing of the published comparison in tests/reference/dram.
#pragma once

#include "sim/hw/config/dram_spec.h"

namespace tilewright {

inline DramSpec ddr4_spec() {
  DramSpec s;
  s.clock.period_ps = 833;
  s.bank_groups = 4;
  s.banks_per_group = 4;
  s.row_bytes = 8192;
  s.burst_bytes = 64;
  s.channel_capacity = Bytes{8} << 30;
  s.mapping = {
      {AddressField::kColumn, 7}, {AddressField::kBankGroup, 2}, {AddressField::kBank, 2}, {AddressField::kRow, 16}};
  s.timing = {.CL = 17,
              .CWL = 12,
              .RCDRD = 17,
              .RCDWR = 17,
              .RP = 17,
              .RAS = 39,
              .RC = 56,
              .burst = 4,
              .CCD_S = 4,
              .CCD_L = 6,
              .RRD_S = 4,
              .RRD_L = 6,
              .FAW = 26,
              .WR = 18,
              .WTR_S = 3,
              .WTR_L = 9,
              .RTP = 9,
              .RTW = 11,
              .RFC = 420,
              .REFI = 9360};
  return s;
}

inline DramSpec hbm2_spec() {
  DramSpec s;
  s.clock.period_ps = 1000;
  s.bank_groups = 4;
  s.banks_per_group = 4;
  s.row_bytes = 1024;
  s.burst_bytes = 32;
  s.channel_capacity = Bytes{512} << 20;
  s.mapping = {
      {AddressField::kColumn, 5}, {AddressField::kBankGroup, 2}, {AddressField::kBank, 2}, {AddressField::kRow, 15}};
  s.timing = {.CL = 14,
              .CWL = 5,
              .RCDRD = 14,
              .RCDWR = 12,
              .RP = 14,
              .RAS = 34,
              .RC = 48,
              .burst = 2,
              .CCD_S = 2,
              .CCD_L = 4,
              .RRD_S = 4,
              .RRD_L = 4,
              .FAW = 15,
              .WR = 16,
              .WTR_S = 6,
              .WTR_L = 8,
              .RTP = 5,
              .RTW = 13,
              .RFC = 260,
              .REFI = 3900};
  s.dual_command_bus = true;
  return s;
}

}  // namespace tilewright
