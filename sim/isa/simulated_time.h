// How long a program runs on the simulated chip at least, known before it does: longer than 64 bits of picoseconds
// hold, and every sum of its times would be wrong.
#pragma once

#include <string>

#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

// Eleven days, far from where 64 bits of picoseconds end.
inline constexpr Picoseconds kLongestRun = 1'000'000'000'000'000'000;

// No less than the instruction takes in its unit, in core clocks; 0 for what no unit computes. For extents whose
// products overflow, too.
double longest_cycles(const CoreSpec& core, const Instruction& instruction);

// UserError naming `where` when the computing instructions of a core may take longer than kLongestRun, or the program
// has more than 2^62 multiply-adds.
void check_simulated_time(const std::string& where, const Program& program, const Hardware& hardware);

}  // namespace tilewright
