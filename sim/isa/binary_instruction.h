// The encoding of one instruction, written once for both directions: a Codec either counts, appends or reads.
// Layout: docs/program_format.md.
#pragma once

#include <bit>
#include <cstddef>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/isa/instruction.h"
#include "sim/isa/program.h"

namespace tilewright {

class ByteCounter {
 public:
  void put(std::uint64_t, int bytes) { offset_ += bytes; }
  Bytes offset() const { return offset_; }

 private:
  Bytes offset_ = 0;
};

class ByteWriter {
 public:
  void put(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
  Bytes offset() const { return static_cast<Bytes>(bytes_.size()); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Every failure is a UserError that names the byte offset.
class ByteReader {
 public:
  ByteReader(const std::vector<std::byte>& bytes, std::string source) : bytes_(bytes), source_(std::move(source)) {}

  std::uint64_t get(int bytes) {
    need(bytes);
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= std::to_integer<std::uint64_t>(bytes_[offset_ + i]) << (8 * i);
    offset_ += bytes;
    return value;
  }
  // A number that must be below `limit`.
  int get_below(int bytes, std::uint64_t limit, const char* what) {
    const std::uint64_t value = get(bytes);
    if (value >= limit) fail(fmt::format("{} {} is not below {}", what, value, limit));
    return static_cast<int>(value);
  }
  void need(std::uint64_t bytes) const {
    if (bytes > bytes_.size() - offset_) fail(fmt::format("truncated: {} more bytes expected", bytes));
  }
  Bytes offset() const { return static_cast<Bytes>(offset_); }
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(fmt::format("{}: byte {}", source_, offset_), what);
  }

 private:
  const std::vector<std::byte>& bytes_;
  std::size_t offset_ = 0;
  std::string source_;
};

void write_instruction(ByteCounter& out, const Instruction& instruction);
void write_instruction(ByteWriter& out, const Instruction& instruction);
Instruction read_instruction(ByteReader& in);

}  // namespace tilewright
