// Proof that a program can run on a chip, before it does. Rejects with the core, the instruction's number and text:
//  - operands outside their memory, segment or buffer; spaces an instruction cannot address; empty shapes
//  - writing an input or constant segment
//  - tokens: posted after they are waited for, more than one producing or consuming stream, left over at the end
//  - signals and barriers that lock the cores up, or leave flags over
//  - two instructions on the same bytes, one writing, that neither a stream, a token, a signal nor a barrier orders
#pragma once

#include <string>
#include <vector>

#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"
#include "sim/isa/text.h"

namespace tilewright {

struct Violation {
  int core = -1;         // -1: the program as a whole
  int instruction = -1;  // index in the core's list
  std::string reason;
};

// The first violations found, at most `limit`; empty means the program is legal on this chip.
std::vector<Violation> find_violations(const Program& program, const Hardware& hardware, int limit = 8);

// Throws UserError("source:line", ...) with the first violation and its instruction; without the line where `lines`
// does not know it.
void verify(const Program& program, const Hardware& hardware, const std::string& source,
            const InstructionLines& lines = {});

// Throws UserError likewise for the first instruction that reads bytes which neither an input nor a constant gives and
// nothing wrote before: a program that is only timed may do so, the values of one that computes would be chance. The
// program must be legal.
void verify_written(const Program& program, const Hardware& hardware, const std::string& source,
                    const InstructionLines& lines = {});

// SIM_CHECKs that a program of our own is legal; that it reads nothing which nothing wrote.
void expect_legal(const Program& program, const Hardware& hardware);
void expect_written(const Program& program, const Hardware& hardware);

}  // namespace tilewright
