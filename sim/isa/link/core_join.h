// The instructions of one core in linked programs: tokens numbered so that each keeps one producing and one consuming
// stream, and the point where two parts meet.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/isa/program.h"

namespace tilewright {

class CoreJoin {
 public:
  // Takes a part's instructions as they are, but for their tokens. No token is left over at their end.
  void append(std::vector<Instruction> instructions);
  // All streams end here; then `participants` cores meet in barrier `id`; then all streams go on. Ids from `alone` on,
  // three before and three behind, are barriers of this core by itself.
  void meet(int id, int participants, int alone);
  static constexpr int kAlone = 6;

  bool empty() const { return core_.instructions.empty(); }
  CoreProgram& program() { return core_; }

 private:
  using Streams = std::pair<Unit, Unit>;  // posts, waits

  // The `ordinal`-th token between two streams.
  std::uint16_t token(Streams streams, std::size_t ordinal);
  Instruction& add(Unit unit, const Barrier& barrier);

  CoreProgram core_;
  std::map<Streams, std::vector<std::uint16_t>> tokens_;
  std::size_t count_ = 0;
};

}  // namespace tilewright
