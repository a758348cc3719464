// Programs of one chip as one program that runs them one after the other: what one writes into an output, a later one
// reads where it has an input of that name.
#pragma once

#include <string>
#include <vector>

#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

struct LinkedPart {
  std::string source;  // names it in messages
  Program program;     // legal on the chip
};

// Inputs, constants and outputs of one name are one segment; hidden segments stay each part's own. A segment keeps its
// address unless another has it; then it moves within its region by whole rounds over the channels, so that
// its bytes stay in the channels that they had. Tokens, flags, barriers and operators get numbers of their own; between
// two parts all cores that work in any of them meet, and no stream of the next begins before every stream of the one
// before has ended. The result is legal on the chip unless it needs more flags than the chip has.
// UserError(source, ...) where segments of one name differ, where a part writes what it or an earlier one takes as
// given, and where DRAM has no room.
Program link_programs(const std::vector<LinkedPart>& parts, const Hardware& hardware);

}  // namespace tilewright
