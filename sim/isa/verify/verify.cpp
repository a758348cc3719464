#include "sim/isa/verify/verify.h"

#include <fmt/format.h>

#include "sim/isa/program.h"
#include "sim/isa/text.h"
#include "sim/isa/verify/sync_walk.h"
#include "sim/isa/verify/violations.h"

namespace tilewright {
namespace {

std::string segment_fault(const Segment& s, const DramSpec& dram) {
  if (s.bytes < 1) return fmt::format("segment '{}' has {} bytes, at least 1 is expected", s.name, s.bytes);
  if (s.address < 0 || s.address >= dram.capacity() || s.bytes > dram.capacity() - s.address) {
    return fmt::format("segment '{}' at {:#x} with {} bytes leaves the DRAM of {} bytes", s.name, s.address, s.bytes,
                       dram.capacity());
  }
  const Bytes region = dram.region_capacity();
  if (s.address / region != (s.address + s.bytes - 1) / region) {
    return fmt::format("segment '{}' at {:#x} with {} bytes lies in more than one DRAM region of {} bytes", s.name,
                       s.address, s.bytes, region);
  }
  return {};
}

std::vector<Violation> first_unwritten(const Program& program, const Hardware& hardware) {
  Violations violations(1);
  check_written(program, hardware, violations);
  return violations.take();
}

}  // namespace

void check_segments(const Program& program, const Hardware& hardware, Violations& violations) {
  for (const Segment& segment : program.segments) {
    std::string fault = segment_fault(segment, hardware.dram);
    if (!fault.empty()) violations.add(-1, -1, std::move(fault));
  }
  if (!violations.empty()) return;
  const SegmentTable table(program);
  const std::vector<int>& order = table.by_address();
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Segment &before = table[order[i - 1]], &after = table[order[i]];
    if (before.address + before.bytes <= after.address) continue;
    violations.add(-1, -1,
                   fmt::format("segments '{}' and '{}' overlap at {:#x}", before.name, after.name, after.address));
  }
}

void check_synchronisation(const Program& program, Violations& violations) {
  SyncWalk(program, nullptr, violations).run();
}

// Later checks rely on what earlier ones have proven, so a fault ends the list.
std::vector<Violation> find_violations(const Program& program, const Hardware& hardware, int limit) {
  Violations violations(limit);
  check_segments(program, hardware, violations);
  if (violations.empty()) check_instructions(program, hardware, violations);
  if (violations.empty()) check_tokens(program, violations);
  if (violations.empty()) check_synchronisation(program, violations);
  if (violations.empty()) check_races(program, hardware, violations);
  return violations.take();
}

namespace {

std::string describe(const Program& program, const Violation& violation) {
  if (violation.core < 0) return violation.reason;
  if (violation.instruction < 0) return fmt::format("core {}: {}", violation.core, violation.reason);
  const Instruction& instruction = program.cores[violation.core].instructions[violation.instruction];
  return fmt::format("core {}, instruction {} '{}': {}", violation.core, violation.instruction,
                     print_instruction(instruction), violation.reason);
}

void throw_first(const std::vector<Violation>& violations, const Program& program, const std::string& source,
                 const InstructionLines& lines) {
  if (violations.empty()) return;
  const Violation& first = violations.front();
  const bool has_line =
      first.instruction >= 0 && first.core < std::ssize(lines) && first.instruction < std::ssize(lines[first.core]);
  const std::string where = has_line ? fmt::format("{}:{}", source, lines[first.core][first.instruction]) : source;
  throw UserError(where, describe(program, first));
}

void expect_none(const std::vector<Violation>& violations, const Program& program) {
  SIM_CHECK(violations.empty(), "{}", describe(program, violations.front()));
}

}  // namespace

void verify(const Program& program, const Hardware& hardware, const std::string& source,
            const InstructionLines& lines) {
  throw_first(find_violations(program, hardware, 1), program, source, lines);
}

void verify_written(const Program& program, const Hardware& hardware, const std::string& source,
                    const InstructionLines& lines) {
  throw_first(first_unwritten(program, hardware), program, source, lines);
}

void expect_legal(const Program& program, const Hardware& hardware) {
  expect_none(find_violations(program, hardware, 1), program);
}

void expect_written(const Program& program, const Hardware& hardware) {
  expect_none(first_unwritten(program, hardware), program);
}

}  // namespace tilewright
