// The network as a SystemC module: says when, NetworkTransport says what. Its routers are modules inside it without a
// process of their own: one activation of the whole network costs as much as a packet's way over three of them.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sim/base/event.h"
#include "sim/base/statistics.h"
#include "sim/hw/config/network_spec.h"
#include "sim/machine/network/network_transport.h"
#include "sim/model/kernel/chip_module.h"

namespace tilewright {

// A router's place in the hierarchy, with what it says of itself.
class RouterModule : public ChipModule {
 public:
  // `transport` outlives this.
  RouterModule(sc_core::sc_module_name name, const NetworkTransport& transport, Clock clock, int number)
      : ChipModule(name, "router"), transport_(transport), clock_(clock), number_(number) {}

  void add_statistics(const RunSpan& run, Statistics& statistics) override {
    transport_.add_router_statistics(number_, "network.router" + std::to_string(number_), statistics,
                                     clock_.floor(kernel_now() - run.launch));
  }
  void add_probes(Probes& probes) const override {
    probes.push_back({"groups", 16, [this] { return static_cast<std::uint64_t>(transport_.held_groups(number_)); }});
  }

 private:
  const NetworkTransport& transport_;
  const Clock clock_;
  const int number_;
};

class NetworkModule final : public ChipModule, public NetworkPort {
 public:
  // `meter` counts Event::kFlitHop per operator; `faults` gets what goes wrong inside the process. Both outlive this.
  NetworkModule(sc_core::sc_module_name name, const NetworkSpec& spec, EventMeter& meter, FaultSink& faults);

  void attach(int terminal, PacketReceiver* receiver) override;
  // `now` is the kernel's time.
  void send(const Packet& packet, Picoseconds now) override;
  void send_to_all(const Packet& packet, std::span<const int> destinations, Picoseconds now) override;
  std::optional<int> also_to(int destination, const Packet& waiting, Picoseconds now) override;
  int flits_for(Bytes payload) const override { return spec_.flits_for(payload); }
  // For the next program, which starts at simulated time `origin`.
  void reset();
  // Empty when no packet is under way.
  std::string waiting_for() const { return transport_->waiting_for(); }
  void add_statistics(const RunSpan& run, Statistics& statistics) override;
  void add_probes(Probes& probes) const override;
  void add_activity(std::vector<const sc_core::sc_event*>& events) const override { events.push_back(&event_); }

 private:
  struct State {
    Picoseconds origin = 0;
    Picoseconds wake = kNever;
    bool delivering = false;
    std::int64_t packets = 0, flits = 0, hops = 0, under_way = 0, arrived = 0, latency = 0;
  };

  Picoseconds since_origin(Picoseconds now) const { return now - state_.origin; }
  Cycles catch_up(Picoseconds now);
  void count(const Packet& packet, int packets, int copies, int outputs);
  void run();
  void deliver(Picoseconds now);
  void schedule(Picoseconds now);

  NetworkSpec spec_;
  EventMeter& meter_;
  FaultSink& faults_;
  std::unique_ptr<NetworkTransport> transport_;
  std::vector<std::unique_ptr<RouterModule>> routers_;
  std::vector<PacketReceiver*> receivers_;
  std::vector<int> passed_;  // [source][destination]: routers on the way
  sc_core::sc_event event_;
  std::vector<Delivery> arrivals_;
  State state_;
};

}  // namespace tilewright
