// One pseudo channel of DRAM as queues: bursts share the data bus, the bursts of one bank group keep their longer
// distance, a request to a closed row waits until the row is open and keeps it open until it is served, and the oldest
// request that can start goes first.
//
// A request is served as a whole, so there are no column commands; they compete for the command bus only where pseudo
// channels share it.
#pragma once

#include <array>
#include <vector>

#include "planner/estimate/queue_model/queue_command_bus.h"
#include "sim/base/containers.h"
#include "sim/hw/config/dram_spec.h"
#include "sim/machine/dram/dram_queue.h"

namespace tilewright {

struct DramWork {
  int bank = 0;  // of all groups
  Address row = 0;
  int bursts = 1;
  bool write = false;
  std::uint32_t request = 0;
};

struct DramServed {
  std::uint32_t request;
  Cycles clock;  // of the last data beat; of a write: when the queue takes it
};

// What a pseudo channel has done.
struct DramActivity {
  std::int64_t activates = 0, read_bursts = 0, write_bursts = 0;
};

class QueueDram {
 public:
  // `bus`, if given, outlives it.
  explicit QueueDram(const DramSpec& spec, QueueCommandBus* bus = nullptr);

  // `clock` of its arrival; may lie ahead.
  void push(const DramWork& work, Cycles clock);
  // Starts what can start at `now` and appends what is known to be served. Returns the next clock at which something
  // may start, if nothing is pushed before; kNeverCycle without work.
  Cycles serve(Cycles now, std::vector<DramServed>& served);
  // After which the last data beat is over.
  Cycles quiet() const { return quiet_; }
  const DramActivity& activity() const { return activity_; }

 private:
  static constexpr Cycles kLongAgo = -1'000'000;
  static constexpr int kOpensInWindow = 4;  // of timing.FAW
  struct Bank {
    int group = 0;
    Cycles opened = kLongAgo, ready = 0, closable = 0;
  };
  struct Group {
    Cycles free = 0, opened = kLongAgo;
    Cycles read_from = 0;  // behind its last write
  };
  struct Arrival {
    Cycles clock;
    DramWork work;
  };
  // What may start first.
  struct Next {
    Cycles start = kNeverCycle;
    int entry = kNoEntry;
    std::int64_t order = 0;
  };

  Cycles next_accept(Cycles now) const;
  bool has_room(bool write) const { return queue_.size(write) < (write ? spec_.write_queue : spec_.read_queue); }
  void accept(Cycles now, std::vector<DramServed>& served);
  void consider_arrived(const DramEntry& entry, Cycles now);
  void refresh(Cycles now);
  void choose_direction();
  Group& group_of(int bank) { return groups_[banks_[bank].group]; }
  const Next& find_next(Cycles now);
  void find_start(std::uint64_t banks, bool active, Cycles now, Next& next) const;
  void consider(int index, Cycles now, Next& next) const;
  Cycles start_of(const DramEntry& entry) const;
  Cycles data_from(const DramEntry& entry) const { return bus_free_ - entry.bursts * spec_.timing.burst_gap(); }
  Cycles open_rows(Cycles now);
  Cycles row_clock(int bank) const;
  void open(int entry, Cycles now);
  void start(int index, Cycles now, std::vector<DramServed>& served);
  Cycles bus_from(Cycles now) { return bus_ == nullptr ? now : bus_->ask(this, now); }
  Cycles take_bus(Cycles now, int commands) { return bus_ == nullptr ? now : bus_->take(this, now, commands); }

  const DramSpec& spec_;
  QueueCommandBus* bus_;
  Ring<Arrival> arrivals_;  // by clock
  DramQueue queue_;
  std::int64_t accepted_ = 0;
  std::vector<Bank> banks_;
  std::vector<Group> groups_;
  std::array<Cycles, kOpensInWindow> opens_;
  int oldest_open_ = 0;
  Cycles bus_free_ = 0, next_open_ = 0, refresh_due_ = kNeverCycle, quiet_ = 0;
  Cycles read_from_ = 0, write_from_ = 0;  // the data bus has turned round for
  DramActivity activity_;
  bool writing_ = false;
  Next next_;  // as of the last look, if nothing but time has passed since
  bool next_known_ = false, next_with_hits_ = false;
};

}  // namespace tilewright
