// Programs as text (.tw), one instruction a line; docs/program_format.md is the reference. print then parse gives the
// same Program; parse then print the same text up to spaces and comments.
#pragma once

#include <string>

#include "sim/isa/program.h"

namespace tilewright {

std::string print_program(const Program& program);
std::string print_instruction(const Instruction& instruction);
// `source` names the text in messages. Throws UserError("source:line", ...) for the first error.
Program parse_program(const std::string& text, const std::string& source);
// Reads text or binary, told apart by the binary's magic. Throws UserError.
Program load_program(const std::string& path);

}  // namespace tilewright
