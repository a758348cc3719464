// Published DRAM parts as data. A preset fills organisation and timing; every value can be written over in the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/hw/config/dram_spec.h"

namespace tilewright {

struct DramPreset {
  std::string_view name;
  Picoseconds tck_ps;
  int pseudo_channels;
  Bytes channel_capacity_mib;
  int bank_groups, banks_per_group;
  Bytes row_bytes, burst_bytes;
  DramTiming timing;
  std::string_view source;
  bool dual_command_bus = false;
};

const std::vector<DramPreset>& dram_presets();
// Null when there is none of that name.
const DramPreset* find_dram_preset(const std::string& name);

}  // namespace tilewright
