// One line of a text program to one instruction.
#pragma once

#include "sim/base/data_type.h"
#include "sim/isa/lexer.h"
#include "sim/isa/program.h"

namespace tilewright {

// All throw UserError at the offending word.
Instruction parse_instruction(Lexer& in);
SegmentKind parse_segment_kind(Lexer& in);
DataType parse_type(Lexer& in);

}  // namespace tilewright
