// Tokens and flags of one core: counting semaphores that order its streams and the cores.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/isa/program.h"

namespace tilewright {

// What the matmul unit is kept waiting by, told from the instruction that posts the missing token.
enum class WaitReason : std::uint8_t { kInputA, kInputB, kAccumulator, kToken };
WaitReason wait_reason_of(const Instruction& producer);

class Scoreboard {
 public:
  // Room for every token and flag of `program`, all zero.
  void reset(const CoreProgram& program, int flags);

  // Remembers who will post the tokens; called in program order, before they are waited for.
  void announce(const Instruction& producer);

  // All waits hold a token (a token named twice: two).
  bool available(const TokenList& waits) const;
  void take(const TokenList& waits);
  void post(const TokenList& posts);

  bool flag_available(const Wait& wait) const { return flags_.at(wait.flag) >= wait.count; }
  void take_flag(const Wait& wait) { flags_.at(wait.flag) -= wait.count; }
  void raise_flag(int flag) { ++flags_.at(flag); }
  int flag(int id) const { return flags_.at(id); }

  // The first wait without a token; -1 when all are available.
  int first_missing(const TokenList& waits) const;
  WaitReason reason(int token) const { return tokens_[token].reason; }

 private:
  struct Token {
    std::int32_t count = 0;
    WaitReason reason = WaitReason::kToken;
  };
  std::vector<Token> tokens_;
  std::vector<std::int32_t> flags_;
};

// One more than the highest flag that any core of the program signals or waits for.
int flag_count(const Program& program);

}  // namespace tilewright
