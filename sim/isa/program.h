// A program for the whole chip: one instruction stream per core and the DRAM segments it works on.
//
// In one core, program order is a legal sequential execution: a token is posted before (in program order) it is waited
// for. The hardware may therefore dispatch in program order through bounded queues and never locks up by itself.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/instruction.h"

namespace tilewright {

// A state is given, and changed: a cache that a decoder appends to.
enum class SegmentKind : std::uint8_t { kInput, kConstant, kHidden, kOutput, kInstructions, kState };
inline constexpr int kSegmentKindCount = 6;
inline std::string_view name_of(SegmentKind kind) {
  static constexpr std::array<std::string_view, kSegmentKindCount> names{"input",  "constant",     "hidden",
                                                                         "output", "instructions", "state"};
  return names[static_cast<int>(kind)];
}
// By the program's instructions.
inline bool may_be_written(SegmentKind kind) {
  return kind == SegmentKind::kHidden || kind == SegmentKind::kOutput || kind == SegmentKind::kState;
}

// Named bytes in DRAM. Every DRAM access of a program falls inside one segment.
struct Segment {
  std::string name;
  SegmentKind kind = SegmentKind::kHidden;
  DataType type = DataType::kBf16;
  Address address = 0;
  Bytes bytes = 0;
  bool operator==(const Segment&) const = default;
};

struct CoreProgram {
  std::vector<Instruction> instructions;
  // Where the core fetches its instructions from: the address of a kInstructions segment of at least binary_size bytes.
  Address fetch_address = 0;
  bool operator==(const CoreProgram&) const = default;
};

struct Program {
  std::string name;
  std::vector<std::string> operators{"none"};  // Instruction::op points here; 0 is "none"
  std::vector<Segment> segments;
  std::vector<CoreProgram> cores;  // one per core of the chip; empty ones idle
  bool operator==(const Program&) const = default;
};

// Finds the segment of a DRAM address.
class SegmentTable {
 public:
  explicit SegmentTable(const Program& program);

  // Index of the segment that holds [low, high) entirely, or -1.
  int find(Address low, Address high) const;
  const Segment& operator[](int index) const { return segments_[index]; }
  // Indices by rising address.
  const std::vector<int>& by_address() const { return by_address_; }

 private:
  const std::vector<Segment>& segments_;
  std::vector<int> by_address_;
};

}  // namespace tilewright
