// One DRAM channel on the chip: takes memory requests, distributes them as requests to the controllers of its pseudo
// channels and answers when they are done. Sleeps until a controller says that something may be done.
#pragma once

#include <string>
#include <systemc>
#include <vector>

#include "sim/base/containers.h"
#include "sim/hw/timing/address_map.h"
#include "sim/machine/dram/dram_command_bus.h"
#include "sim/machine/port/memory_port.h"
#include "sim/model/kernel/chip_module.h"

namespace tilewright {

class DramChannel : public ChipModule, public DramPort {
 public:
  // `spec` outlives the channel. `meter` receives the events of each request's operator; it must have been reset for
  // the program (refreshes count for operator 0) before the first request.
  DramChannel(sc_core::sc_module_name name, const DramSpec& spec, int channel, EventMeter& meter, FaultSink& faults);

  void set_client(MemoryClient* client) override { client_ = client; }
  // A read is answered with its last data beat (plus controller_clocks), a write when its last part is in the write
  // queue. Requests of one moment are taken in the order of their cores, those of one core in the order of the calls.
  void memory_request(const MemoryRequest& request, Picoseconds now) override;

  void reset() override;
  Picoseconds settle() override;
  std::string waiting_for() const override;
  // Under "dram<channel>.".
  void add_statistics(const RunSpan& run, Statistics& statistics) override;
  void add_probes(Probes& probes) const override;
  void add_activity(std::vector<const sc_core::sc_event*>& events) const override;

 private:
  struct InFlight {
    MemoryRequest request;
    int parts_left = 0;
    Cycles arrival = 0, done = 0;
    Cycles bus = 0, row = 0;  // of the part done last
    std::int64_t order = 0;   // of acceptance
  };
  struct Answer {
    Cycles clock;
    std::int64_t order;
    std::uint32_t slot;
  };
  struct State {
    Picoseconds origin = 0;               // kernel time of DRAM clock 0
    Picoseconds wake = kNever;            // since origin, for which `wake_` is notified
    std::vector<MemoryRequest> incoming;  // of this moment, in order of their cores
    SlotTable<InFlight> in_flight;
    std::vector<Answer> answers;  // heap, earliest on top
    std::vector<Cycles> due;      // per controller: at or before its next completion
    DramCommandBus bus;           // where they share it
    std::int64_t accepted = 0;
  };
  struct Part {
    int pseudo_channel;
    DramRequest request;
  };

  void evaluate_guarded();
  void evaluate();
  Picoseconds elapsed() const;
  void take_incoming(Cycles arrival);
  void split(const MemoryRequest& request);
  void add_bursts(const DramCoordinate& at, int bursts, const MemoryRequest& request);
  void collect(Cycles now);
  void collect_in_turn(Cycles now);
  void take_completions(DramController& controller);
  void part_done(const DramCompletion& completion);
  MemoryDelay delay_of(const InFlight& request) const;
  void answer(Picoseconds now);
  void schedule_wakeup(Picoseconds now);
  static bool later(const Answer& a, const Answer& b);

  const DramSpec& spec_;
  const int channel_;
  FaultSink& faults_;
  const Bytes run_bytes_;
  MemoryClient* client_ = nullptr;
  std::vector<DramController> controllers_;  // one per pseudo channel
  std::vector<Part> parts_;                  // of the request being split
  State state_;
  // A notification of its own for requests, so that the one for later stays where it is in the kernel's queue.
  sc_core::sc_event wake_, arrived_;
};

}  // namespace tilewright
