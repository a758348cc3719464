// Where the time of every core went, by cause. While the matmul unit computes, that is it. The time before a matmul
// instruction began, up to the end of the one before it, is followed backwards: to what it waited for last (a token's
// producer, a barrier's last core, a place in a queue, its own dispatch), through that instruction's time, to what this
// one had waited for, and so on. So of several waits at the same time the one that ended last is charged: what is not
// on that way could have ended earlier without any gain. The last instruction of a core is followed in the same way.
#pragma once

#include <span>
#include <vector>

#include "sim/base/cause.h"
#include "sim/hw/config/hardware.h"
#include "sim/machine/core/instruction_times.h"
#include "sim/machine/port/chip_part.h"

namespace tilewright {

// By core of the program; each adds up to the run. `times` by core, of the same run.
std::vector<CauseTimes> waits_by_cause(const Program& program, const Hardware& hardware,
                                       std::span<const CoreTimes* const> times, const RunSpan& run);

}  // namespace tilewright
