// Programs as text (.tw), one instruction a line; docs/program_format.md is the reference. print then parse gives the
// same Program; parse then print the same text up to spaces and comments.
#pragma once

#include <string>
#include <vector>

#include "sim/isa/program.h"

namespace tilewright {

// Line, from 1, of each instruction: [core][instruction].
using InstructionLines = std::vector<std::vector<int>>;

std::string print_program(const Program& program);
std::string print_instruction(const Instruction& instruction);
// `source` names the text in messages. Throws UserError("source:line", ...) for the first error.
// `lines`, if given, receives where each instruction stands.
Program parse_program(const std::string& text, const std::string& source, InstructionLines* lines = nullptr);
// Reads text or binary, told apart by the binary's magic; a binary has no lines. Throws UserError.
Program load_program(const std::string& path, InstructionLines* lines = nullptr);
// The same of what was read from there.
Program program_from(const std::string& content, const std::string& path, InstructionLines* lines = nullptr);

}  // namespace tilewright
