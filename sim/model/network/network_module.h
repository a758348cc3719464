// The network as a SystemC module: says when, NetworkTransport says what.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sim/base/event.h"
#include "sim/base/statistics.h"
#include "sim/hw/network_spec.h"
#include "sim/model/fault.h"
#include "sim/model/network/network_packet.h"
#include "sim/model/network/network_transport.h"

namespace tilewright {

class NetworkModule : public sc_core::sc_module {
 public:
  // `meter` counts Event::kFlitHop per operator; `faults` gets what goes wrong inside the process. Both outlive this.
  NetworkModule(sc_core::sc_module_name name, const NetworkSpec& spec, EventMeter& meter, FaultSink& faults);

  // Before the first packet to `terminal`.
  void attach(int terminal, PacketReceiver* receiver);
  // At the present simulated time; waits in a queue without limit at its source terminal.
  void send(const Packet& packet);
  // A control packet is one flit; data follow one head flit.
  int flits_for(Bytes payload) const;
  // For the next program, which starts at simulated time `origin`.
  void reset();
  // Empty when no packet is under way.
  std::string waiting_for() const { return transport_->waiting_for(); }
  void add_statistics(Statistics& statistics) const;

 private:
  struct State {
    Picoseconds origin = 0;
    Picoseconds wake = kNever;
    bool delivering = false;
    std::int64_t packets = 0, flits = 0, hops = 0, arrived = 0, latency = 0;
  };

  Picoseconds now() const { return static_cast<Picoseconds>(sc_core::sc_time_stamp().value()) - state_.origin; }
  void run();
  void deliver();
  void schedule();

  NetworkSpec spec_;
  EventMeter& meter_;
  FaultSink& faults_;
  std::unique_ptr<NetworkTransport> transport_;
  std::vector<PacketReceiver*> receivers_;
  std::vector<int> passed_;  // [source][destination]: routers on the way
  sc_core::sc_event event_;
  std::vector<Delivery> arrivals_;
  State state_;
};

}  // namespace tilewright
