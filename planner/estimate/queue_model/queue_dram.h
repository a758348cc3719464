// One pseudo channel of DRAM as a queue: bursts share the data bus, the bursts of one bank group keep their longer
// distance, a request to a closed row waits until the row is open, and the oldest request that can start goes first.
//
// A request is served as a whole, so there are no commands and no competition for the command bus.
#pragma once

#include <deque>
#include <vector>

#include "sim/hw/config/dram_spec.h"

namespace tilewright {

struct DramWork {
  int bank_group = 0, bank = 0;  // bank: of all groups
  Address row = 0;
  int bursts = 1;
  bool write = false;
  std::uint32_t request = 0;
};

struct DramServed {
  std::uint32_t request;
  Cycles clock;  // of the last data beat; of a write: when the queue takes it
};

class QueueDram {
 public:
  explicit QueueDram(const DramSpec& spec);

  // `clock` of its arrival; may lie ahead.
  void push(const DramWork& work, Cycles clock);
  // Starts what can start at `now` and appends what is known to be served. Returns the next clock at which something
  // may start, if nothing is pushed before; kNeverCycle without work.
  Cycles serve(Cycles now, std::vector<DramServed>& served);
  // After which the last data beat is over.
  Cycles quiet() const { return quiet_; }

 private:
  struct Bank {
    Address row = -1;
    Cycles opened = -1'000'000, ready = 0, closable = 0;
  };

  Cycles next_accept(Cycles now) const;
  bool has_room(bool write) const;
  void accept(Cycles now, std::vector<DramServed>& served);
  void refresh(Cycles now);
  void choose_direction(Cycles now);
  Cycles find_next(Cycles now, std::size_t& first);
  void open(const DramWork& work, Cycles now);
  void start(const DramWork& work, Cycles now, std::vector<DramServed>& served);
  std::vector<DramWork>& queue() { return writing_ ? writes_ : reads_; }

  const DramSpec& spec_;
  struct Arrival {
    Cycles clock;
    DramWork work;
  };
  std::deque<Arrival> arrivals_;  // by clock
  std::vector<DramWork> reads_, writes_;
  std::vector<Bank> banks_;
  std::vector<Cycles> group_free_;
  Cycles bus_free_ = 0, next_open_ = 0, refresh_due_ = kNeverCycle, quiet_ = 0;
  bool writing_ = false;
};

}  // namespace tilewright
