// Who surely completed before whom: vector clocks (Mattern 1989) over the streams of all cores. Inside a core every
// instruction has a small clock over the core's four streams. What a stream knows of other cores only changes at a wait
// or barrier, so it is kept once per such acquisition and found through the small clock.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "sim/isa/instruction.h"

namespace tilewright {

// Instructions of each stream known to have completed; a stream's instructions are numbered from 1.
using LocalClock = std::array<std::uint32_t, kUnitCount>;
// The same over all cores: entry core * 4 + stream.
using ChipClock = std::vector<std::uint32_t>;

// When an instruction starts: its number in its stream and what has completed before it.
struct Stamp {
  int core = 0;
  int stream = 0;
  std::uint32_t number = 0;
  LocalClock known{};
};

// The clocks of one core, advanced in program order.
class CoreClocks {
 public:
  // Takes the instruction's waits, numbers it and gives its posts.
  Stamp step(int core, const Instruction& instruction);

 private:
  struct Token {
    std::vector<LocalClock> posted;
    std::size_t taken = 0;
  };
  Token& token(std::uint16_t id);

  std::array<LocalClock, kUnitCount> stream_{};
  std::vector<Token> tokens_;
};

// What the cores learned of each other.
class ChipClocks {
 public:
  explicit ChipClocks(int cores) : width_(cores * kUnitCount), acquired_(width_) {}

  // Everything that has completed when the stamped instructions have.
  ChipClock after(std::span<const Stamp> stamps) const;
  // From the stamped instruction on its stream knows `clock`, and what it knew.
  void acquire(const Stamp& stamp, const std::shared_ptr<const ChipClock>& clock);
  // The stamped instructions end together: each stream knows what all knew. In time and memory it grows with the cores,
  // where the clocks of each on its own would grow with their square.
  void meet(std::span<const Stamp> stamps);
  // Whether the first completed before the second starts, or both are one instruction: it reads before it writes.
  bool ordered(const Stamp& first, const Stamp& second) const;
  int width() const { return width_; }

 private:
  struct Acquisition {
    std::uint32_t number;
    std::shared_ptr<const ChipClock> clock;
  };
  // What `stream` of `core` had acquired by its `number`-th instruction, or null.
  const ChipClock* known_by(int core, int stream, std::uint32_t number) const;

  int width_;
  std::vector<std::vector<Acquisition>> acquired_;
};

// What a wait on a flag proves. A flag counts; with several producers a wait only proves those signals that it cannot
// have done without, whichever arrived first.
class FlagClocks {
 public:
  // False when this signal could have been taken by an earlier wait in place of another producer's: then what that wait
  // seemed to prove does not hold.
  bool signal(const Stamp& stamp, const std::shared_ptr<const ChipClock>& after);
  // Takes `count`; the clocks of the signals that surely arrived are joined into `known`.
  void wait(const Stamp& stamp, int count, ChipClock& known);

 private:
  struct Producer {
    std::int64_t arrived = 0, proven = 0;
    std::deque<std::shared_ptr<const ChipClock>> pending;  // those after the proven ones
  };
  std::map<int, Producer> producers_;  // by core * 4 + stream
  std::int64_t arrived_ = 0, taken_ = 0;
  Stamp last_wait_;
};

}  // namespace tilewright
