#include "planner/passes/link/link_areas.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "planner/constants/constants.h"
#include "sim/isa/operand.h"

namespace tilewright {

struct AreaChoice::Use {
  struct Write {
    Unit unit;
    Operand operand;
  };
  Bytes bytes = 0;                                  // from 0 on
  std::vector<std::pair<Address, Address>> ranges;  // of all operands
  std::vector<Write> first_writes;
};

namespace {

const AreaMove& of(const AreaMoves& moves, Space space) { return moves[static_cast<int>(space)]; }

template <class Place>
void move(Place& place, const AreaMoves& moves) {
  place.address = of(moves, place.space)(place.address);
}
void move(Transfer& transfer, const AreaMoves& moves) {
  move(transfer.source, moves);
  move(transfer.target, moves);
}
void move(Matmul& matmul, const AreaMoves& moves) {
  for (MatmulOperand* operand : {&matmul.a, &matmul.b, &matmul.c}) move(*operand, moves);
}
void move(Vector& vector, const AreaMoves& moves) {
  move(vector.target, moves);
  move(vector.a, moves);
  if (is_binary(vector.op) && !vector.b_is_immediate) move(vector.b, moves);
}
void move(Signal&, const AreaMoves&) {}
void move(Wait&, const AreaMoves&) {}
void move(Barrier&, const AreaMoves&) {}

// The address nearest the middle that no operand lies across; 0 when there is none.
Address cut_near_middle(std::vector<std::pair<Address, Address>> ranges, Bytes bytes) {
  std::sort(ranges.begin(), ranges.end());
  Address best = 0, covered = 0;
  for (const auto& [begin, end] : ranges) {
    const bool free = begin >= covered && begin % constants().buffer_alignment == 0;
    if (free && std::abs(2 * begin - bytes) < std::abs(2 * best - bytes)) best = begin;
    covered = std::max(covered, end);
  }
  return best;
}

}  // namespace

void move_in_buffers(Instruction& instruction, const AreaMoves& moves) {
  std::visit([&](auto& payload) { move(payload, moves); }, instruction.payload);
}

AreaChoice::AreaChoice(const CoreSpec& core) {
  capacity_[static_cast<int>(Space::kBufferA)] = core.buffer_a;
  capacity_[static_cast<int>(Space::kBufferB)] = core.buffer_b;
  capacity_[static_cast<int>(Space::kAccumulator)] = core.accumulator;
}

// The one to prefer where nothing tells them apart comes first.
std::vector<AreaMove> AreaChoice::candidates(Space space, const Use& use) const {
  const Bytes capacity = capacity_[static_cast<int>(space)];
  const auto whole = [](Bytes shift) { return AreaMove{0, 0, shift}; };
  const Bytes behind = round_up(end_[static_cast<int>(space)], constants().buffer_alignment);
  const Bytes top = (capacity - use.bytes) / constants().buffer_alignment * constants().buffer_alignment;
  std::vector<AreaMove> moves;
  if (behind <= top) moves.push_back(whole(behind));
  moves.push_back(whole(0));
  moves.push_back(whole(top));
  const Address cut = cut_near_middle(use.ranges, use.bytes);
  if (cut > 0 && round_up(use.bytes, constants().buffer_alignment) <= capacity)
    moves.push_back({cut, round_up(use.bytes, constants().buffer_alignment) - cut, -cut});
  return moves;
}

std::array<AreaChoice::Use, kSpaceCount> AreaChoice::uses_of(const std::vector<Instruction>& instructions) {
  std::array<Use, kSpaceCount> uses;
  for (const Instruction& instruction : instructions)
    for (const Operand& operand : operands_of(instruction)) {
      Use& use = uses[static_cast<int>(operand.space)];
      const Footprint footprint = footprint_of(operand);
      use.bytes = std::max(use.bytes, footprint.high());
      use.ranges.emplace_back(footprint.low(), footprint.high());
      if (operand.write && std::ssize(use.first_writes) < constants().first_writes)
        use.first_writes.push_back({instruction.unit, operand});
    }
  return uses;
}

// The first write that has to wait less decides.
AreaMove AreaChoice::choose_one(Space space, const Use& use, const HazardLinker& linker) const {
  AreaMove best;
  std::vector<int> least;
  for (const AreaMove& candidate : candidates(space, use)) {
    std::vector<int> waits;
    for (auto [unit, operand] : use.first_writes) {
      operand.address = candidate(operand.address);
      waits.push_back(linker.latest_conflict(unit, operand));
    }
    if (!least.empty() && least <= waits) continue;
    least = std::move(waits);
    best = candidate;
  }
  return best;
}

AreaMoves AreaChoice::choose(const std::vector<Instruction>& instructions, const HazardLinker& linker) {
  const auto uses = uses_of(instructions);
  AreaMoves moves{};
  for (const Space space : {Space::kBufferA, Space::kBufferB, Space::kAccumulator}) {
    const int at = static_cast<int>(space);
    if (uses[at].bytes == 0) continue;
    moves[at] = choose_one(space, uses[at], linker);
    moved(space, uses[at], moves[at]);
  }
  return moves;
}

void AreaChoice::take(const AreaMoves& moves, const std::vector<Instruction>& instructions) {
  const auto uses = uses_of(instructions);
  for (const Space space : {Space::kBufferA, Space::kBufferB, Space::kAccumulator}) {
    const int at = static_cast<int>(space);
    if (uses[at].bytes > 0) moved(space, uses[at], moves[at]);
  }
}

void AreaChoice::moved(Space space, const Use& use, const AreaMove& move) {
  end_[static_cast<int>(space)] = use.bytes + (move.cut > 0 ? 0 : move.high_shift);
}

}  // namespace tilewright
