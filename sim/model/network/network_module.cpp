#include "sim/model/network/network_module.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/model/kernel/chip_module.h"

namespace tilewright {

NetworkModule::NetworkModule(sc_core::sc_module_name name, const NetworkSpec& spec, EventMeter& meter,
                             FaultSink& faults)
    : ChipModule(name, "network"),
      spec_(spec),
      meter_(meter),
      faults_(faults),
      transport_(make_transport(spec, VcSharing::kSplit)),
      receivers_(spec.terminals(), nullptr) {
  const int terminals = spec.terminals();
  for (int source = 0; source < terminals; ++source)
    for (int destination = 0; destination < terminals; ++destination)
      passed_.push_back(transport_->routers_passed(source, destination));
  for (int router = 0; router < transport_->routers(); ++router) {
    const std::string router_name = "router" + std::to_string(router);
    routers_.push_back(std::make_unique<RouterModule>(router_name.c_str(), *transport_, spec_.clock, router));
  }
  SC_HAS_PROCESS(NetworkModule);
  SC_METHOD(run);
  sensitive << event_;
  dont_initialize();
}

void NetworkModule::attach(int terminal, PacketReceiver* receiver) { receivers_.at(terminal) = receiver; }

void NetworkModule::send(const Packet& packet, Picoseconds now) {
  SIM_CHECK(receivers_.at(packet.destination) != nullptr, "nothing is attached to terminal {}", packet.destination);
  count(packet, 1, 1, passed_[packet.source * static_cast<int>(receivers_.size()) + packet.destination]);
  transport_->inject(packet, catch_up(now));
  if (!state_.delivering) schedule(now);
}

void NetworkModule::send_to_all(const Packet& packet, std::span<const int> destinations, Picoseconds now) {
  count(packet, 1, static_cast<int>(destinations.size()),
        transport_->inject_to_all(packet, destinations, catch_up(now)));
  if (!state_.delivering) schedule(now);
}

std::optional<int> NetworkModule::also_to(int destination, const Packet& waiting, Picoseconds now) {
  const std::optional<int> outputs = transport_->add_destination(destination, waiting, catch_up(now));
  if (!outputs) return std::nullopt;
  const int copies = *outputs > 0 ? 1 : 0;
  count(waiting, 0, copies, *outputs);
  return copies;
}

// Cycle of what is sent now.
Cycles NetworkModule::catch_up(Picoseconds now) {
  const Cycles cycle = spec_.clock.ceil(since_origin(now));
  transport_->advance(cycle - 1);
  SIM_CHECK(transport_->delivered().empty(), "a packet arrived unnoticed before cycle {}", cycle);
  return cycle;
}

// `outputs`: of routers, that it and its copies leave by.
void NetworkModule::count(const Packet& packet, int packets, int copies, int outputs) {
  const std::int64_t hops = static_cast<std::int64_t>(packet.flits) * outputs;
  state_.packets += packets;
  state_.under_way += copies;
  state_.flits += static_cast<std::int64_t>(packets) * packet.flits;
  state_.hops += hops;
  meter_.add(packet.op, Event::kFlitHop, hops);
}

// Everything since the last activation, then the packets that arrive now: what happens between routers is seen by
// nobody, so it is done when a packet may arrive or one is sent.
void NetworkModule::run() {
  try {
    faults_.activated();
    const Picoseconds now = kernel_now();
    state_.wake = kNever;
    transport_->advance(spec_.clock.floor(since_origin(now)));
    deliver(now);
    schedule(now);
  } catch (...) {
    faults_.fault(std::current_exception());
  }
}

void NetworkModule::deliver(Picoseconds now) {
  arrivals_.swap(transport_->delivered());
  state_.delivering = true;
  for (const Delivery& arrival : arrivals_) {
    ++state_.arrived;
    --state_.under_way;
    state_.latency += arrival.arrived - arrival.injected;
    receivers_[arrival.packet.destination]->packet_arrived(arrival.packet, now);
  }
  state_.delivering = false;
  arrivals_.clear();
}

void NetworkModule::schedule(Picoseconds now) {
  const Cycles next = transport_->next_arrival();
  if (next == kNeverCycle) return;
  const Picoseconds wake = spec_.clock.to_ps(next), present = since_origin(now);
  if (wake >= state_.wake) return;
  state_.wake = wake;
  event_.notify(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(std::max<Picoseconds>(wake - present, 0))));
}

void NetworkModule::reset() {
  event_.cancel();
  transport_->reset();
  transport_->delivered().clear();
  arrivals_.clear();
  state_ = State{};
  state_.origin = kernel_now();
}

// What lies between routers is brought up to date when a packet is sent or arrives: probes show that moment.
void NetworkModule::add_probes(Probes& probes) const {
  probes.push_back({"packets", 16, [this] { return static_cast<std::uint64_t>(state_.under_way); }});
}

void NetworkModule::add_statistics(const RunSpan&, Statistics& statistics) {
  const auto value = [](std::int64_t count) { return static_cast<double>(count); };
  statistics.add("network.packets", "packets", "packets sent", value(state_.packets));
  statistics.add("network.flits", "flits", "flits sent", value(state_.flits));
  statistics.add("network.hops", "flits", "flits times routers passed", value(state_.hops));
  statistics.add("network.average_latency", "cycles", "from entering the source queue to the last flit, network clocks",
                 state_.arrived == 0 ? 0.0 : value(state_.latency) / value(state_.arrived));
  transport_->add_statistics(statistics, spec_.clock.floor(since_origin(kernel_now())));
}

}  // namespace tilewright
