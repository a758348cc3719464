// One core of a replay: its instructions as they are fetched and dispatched, four streams, tokens and flags.
#pragma once

#include <array>
#include <vector>

#include "planner/cost/replay/replay_dau.h"
#include "planner/cost/replay/replay_fetch.h"
#include "planner/cost/replay/replay_sync.h"

namespace tilewright {

class ReplayCore : public ReplayActor, public ReplaySleeper {
 public:
  ReplayCore(const Hardware& hardware, int number, const CoreProgram& program, Calendar& calendar, ReplayMemory& memory,
             ReplayCache* cache, ReplaySync& sync);

  // Everything has completed.
  bool over();
  // Of the last instruction.
  Picoseconds completed() const { return completed_; }

  void happen(std::uint32_t what, Picoseconds now) override;
  void wake_at(Picoseconds time) override;

 private:
  static constexpr std::uint32_t kWake = ~std::uint32_t{0};

  ReplayStream& stream(int unit) { return unit < 2 ? dau_.stream(unit) : compute_[unit - 2].stream; }
  void work(Picoseconds now);
  bool dispatch(Picoseconds now);
  bool start(int unit, Picoseconds now);
  bool complete(int unit, Picoseconds now);
  bool take_waits(const Instruction& instruction);
  void begin(int unit, std::size_t number, const Instruction& instruction, Picoseconds now);
  void begin(const Matmul& matmul, std::size_t number, Picoseconds now);
  void begin(const Vector& vector, std::size_t number, Picoseconds now);
  Picoseconds next_moment(Picoseconds now);

  struct Compute {
    ReplayStream stream;
    Picoseconds free = 0;  // the next instruction may start
  };

  const Hardware& hardware_;
  const Clock clock_;
  const int number_;
  Calendar& calendar_;
  ReplaySync& sync_;
  ReplayDau dau_;
  ReplayFetch fetch_;
  std::array<Compute, 2> compute_;  // matmul, vector
  std::vector<int> tokens_, flags_;
  Picoseconds start_ = 0, pipe_empty_ = 0, completed_ = 0, wake_ = kNever;
  Picoseconds dispatch_cycle_ = -1;
  int dispatched_now_ = 0;
};

}  // namespace tilewright
