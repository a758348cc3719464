// Changed chips: what --what-if asks for. Changes are told apart by commas; one change may set several keys, joined by
// '+': "dram.channels=x2,core.dma.setup_cycles=free,network.topology=simple+network.flit_bytes=64".
#pragma once

#include <string>
#include <vector>

#include "planner/search/study/study.h"

namespace tilewright {

struct WhatIfSetting {
  std::string key, value;
  // Of the time that the key's part of the chip costs, how much the change takes away at most, in [0, 1]: half with
  // twice the rate, half with half the latency, all of it where a key is no number.
  double taken_away = 1;
};

struct WhatIf {
  std::string text;  // as it was asked for
  std::vector<WhatIfSetting> settings;
};

// `chip` has the values that factors multiply. After the '=' of a key stands its new value; xN: N times the old one; or
// free: no cycles for a key that counts them, kFreeRate times the rate for a rate, no routers for network.topology.
// UserError for an unknown key, a factor of what is no number and for a key that cannot be free.
std::vector<WhatIf> parse_what_if(const std::string& text, const Hardware& chip);
inline constexpr double kFreeRate = 256;

// The chip of the hardware file `text`, changed. UserError, naming the change, for one that cannot be built.
Hardware changed_hardware(const WhatIf& change, const std::string& text);

}  // namespace tilewright
