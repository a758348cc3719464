// Runs the signals, waits and barriers of all cores to the end, each core in program order. Signals only ever make
// more cores able to go on, so whether all cores end does not depend on the order chosen here.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/isa/verify/violations.h"

namespace tilewright {

// Where an instruction stands.
struct Place {
  int core = -1;
  int instruction = -1;
};

// Told of everything in the order of the walk. An event's `place` is the instruction.
class SyncListener {
 public:
  virtual ~SyncListener() = default;
  virtual void signalled(Place place, const Signal& signal) = 0;
  virtual void waited(Place place, const Wait& wait) = 0;
  virtual void released(const std::vector<Place>& participants) = 0;
  // A load, store, copy, matmul or vector instruction.
  virtual void worked(Place place) = 0;
};

class SyncWalk {
 public:
  SyncWalk(const Program& program, SyncListener* listener, Violations& violations);

  // Reports a lock-up, flags left over and flags waited for by more than one stream.
  void run();

 private:
  struct Flag {
    std::int64_t arrived = 0;
    int consumer = -1;  // stream
    Place last_signal;
  };
  struct Core {
    std::size_t next = 0;
    bool in_barrier = false;
    std::map<int, Flag> flags;
  };

  const Instruction& instruction_at(Place place) const;
  bool finished(int core) const;
  // Runs one core until it is blocked; whether it moved.
  bool advance(int core);
  bool step(Place place);
  bool step_signal(Place place, const Signal& signal);
  bool step_wait(Place place, const Wait& wait);
  bool step_barrier(Place place, const Barrier& barrier);
  void release(std::map<int, std::vector<Place>>::iterator barrier);
  void report_lock_up();
  std::string waits_for(int core) const;
  void report_left_over();

  const Program& program_;
  SyncListener* listener_;
  Violations& violations_;
  std::vector<Core> cores_;
  std::map<int, std::vector<Place>> barriers_;  // reached, by id
};

}  // namespace tilewright
