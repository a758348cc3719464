// What the parts of the verifier share: the list of violations found so far.
#pragma once

#include <utility>
#include <vector>

#include "sim/base/error.h"
#include "sim/isa/verify/verify.h"

namespace tilewright {

class Violations {
 public:
  explicit Violations(int limit) : limit_(limit) {}
  void add(int core, int instruction, std::string reason) {
    if (!full()) found_.push_back({core, instruction, std::move(reason)});
  }
  bool full() const { return static_cast<int>(found_.size()) >= limit_; }
  bool empty() const { return found_.empty(); }
  std::vector<Violation> take() { return std::move(found_); }

 private:
  int limit_;
  std::vector<Violation> found_;
};

// Segments: inside the DRAM, apart from each other, each in one region.
void check_segments(const Program& program, const Hardware& hardware, Violations& violations);
// Operands, spaces, streams and fields of every instruction, and where each core fetches from.
void check_instructions(const Program& program, const Hardware& hardware, Violations& violations);
// Tokens of every core, in program order.
void check_tokens(const Program& program, Violations& violations);
// Signals, waits and barriers of all cores together.
void check_synchronisation(const Program& program, Violations& violations);
// Pairs of accesses that nothing orders. Everything above must have passed.
void check_races(const Program& program, const Hardware& hardware, Violations& violations);
// Reads of bytes that nothing wrote. Everything above must have passed.
void check_written(const Program& program, const Hardware& hardware, Violations& violations);

}  // namespace tilewright
