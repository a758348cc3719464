#include "sim/machine/core/scoreboard.h"

#include <algorithm>

#include "sim/base/error.h"

namespace tilewright {
namespace {

WaitReason reason_of_space(Space space) {
  switch (space) {
    case Space::kBufferA:
      return WaitReason::kInputA;
    case Space::kBufferB:
      return WaitReason::kInputB;
    case Space::kAccumulator:
      return WaitReason::kAccumulator;
    case Space::kDram:
    case Space::kCluster:
      return WaitReason::kToken;
  }
  SIM_CHECK(false, "space {}", static_cast<int>(space));
}

int highest(const TokenList& list, int so_far) {
  for (const std::uint16_t token : list) so_far = std::max<int>(so_far, token);
  return so_far;
}

// Tokens named by waits[0..index) that are the same as waits[index].
int earlier_same(const TokenList& waits, int index) {
  return static_cast<int>(std::count(waits.begin(), waits.begin() + index, waits.token[index]));
}

int flag_of(const Instruction& instruction) {
  if (const auto* signal = std::get_if<Signal>(&instruction.payload)) return signal->flag;
  if (const auto* wait = std::get_if<Wait>(&instruction.payload)) return wait->flag;
  return -1;
}

}  // namespace

WaitReason wait_reason_of(const Instruction& producer) {
  const auto* transfer = std::get_if<Transfer>(&producer.payload);
  if (transfer && transfer->kind == TransferKind::kLoad) return reason_of_space(transfer->target.space);
  if (transfer && transfer->kind == TransferKind::kStore) return WaitReason::kAccumulator;
  return std::holds_alternative<Vector>(producer.payload) ? WaitReason::kAccumulator : WaitReason::kToken;
}

void Scoreboard::reset(const CoreProgram& program, int flags) {
  int last = -1;
  for (const Instruction& instruction : program.instructions) {
    last = highest(instruction.posts, highest(instruction.waits, last));
  }
  tokens_.assign(last + 1, Token{});
  flags_.assign(flags, 0);
}

void Scoreboard::announce(const Instruction& producer) {
  for (const std::uint16_t token : producer.posts) tokens_[token].reason = wait_reason_of(producer);
}

int Scoreboard::first_missing(const TokenList& waits) const {
  for (int i = 0; i < waits.count; ++i) {
    if (tokens_[waits.token[i]].count <= earlier_same(waits, i)) return waits.token[i];
  }
  return -1;
}

bool Scoreboard::available(const TokenList& waits) const { return first_missing(waits) < 0; }

void Scoreboard::take(const TokenList& waits) {
  for (const std::uint16_t token : waits) {
    SIM_CHECK(tokens_[token].count > 0, "token {} taken while empty", token);
    --tokens_[token].count;
  }
}

void Scoreboard::post(const TokenList& posts) {
  for (const std::uint16_t token : posts) ++tokens_[token].count;
}

int flag_count(const Program& program) {
  int last = -1;
  for (const CoreProgram& core : program.cores) {
    for (const Instruction& instruction : core.instructions) last = std::max(last, flag_of(instruction));
  }
  return last + 1;
}

}  // namespace tilewright
