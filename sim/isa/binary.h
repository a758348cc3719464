// Programs as bytes: little endian, versioned, self-delimiting. The size of an instruction here is what a core fetches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/program.h"

namespace tilewright {

// Bytes one instruction occupies in memory, a multiple of 8.
Bytes encoded_size(const Instruction& instruction);
Bytes encoded_size(const CoreProgram& core);

std::vector<std::byte> encode(const Program& program);
// Throws UserError for a truncated, foreign or newer-version file, naming the byte offset.
Program decode(const std::vector<std::byte>& bytes, const std::string& source);

// Whether the bytes open with the magic of a binary program.
bool is_binary_program(const std::byte* bytes, std::size_t count);

// A stable 64-bit hash (FNV-1a over the encoding) for caches and database records.
std::uint64_t hash_of(const Program& program);

}  // namespace tilewright
