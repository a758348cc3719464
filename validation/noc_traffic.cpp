#include "validation/noc_traffic.h"

#include <charconv>

namespace tilewright {
namespace {

void add_mesh(NetworkSpec& spec, int side) {
  spec.topology = Topology::kMesh;
  spec.routers = side * side;
  spec.mesh_columns = side;
  for (int router = 0; router < spec.routers; ++router) {
    const int x = router % side, y = router / side;
    if (x + 1 < side) spec.links.push_back({router, router + 1});
    if (x > 0) spec.links.push_back({router, router - 1});
    if (y + 1 < side) spec.links.push_back({router, router + side});
    if (y > 0) spec.links.push_back({router, router - side});
  }
}

void add_ring(NetworkSpec& spec, int routers) {
  spec.topology = Topology::kRing;
  spec.routers = routers;
  for (int router = 0; router < routers; ++router) {
    spec.links.push_back({router, (router + 1) % routers});
    spec.links.push_back({router, (router + routers - 1) % routers});
  }
}

int number_after(std::string_view name, std::string_view prefix) {
  int number = 0;
  if (name.starts_with(prefix)) std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
  return number;
}

}  // namespace

std::optional<NetworkSpec> noc_topology(std::string_view name, int link_cycles) {
  NetworkSpec spec;
  spec.router.link_cycles = link_cycles;
  if (const int side = number_after(name, "mesh"); side > 0) {
    add_mesh(spec, side);
  } else if (const int routers = number_after(name, "ring"); routers > 0) {
    add_ring(spec, routers);
  } else {
    return std::nullopt;
  }
  spec.clusters = spec.routers;
  for (int router = 0; router < spec.routers; ++router) spec.terminal_router.push_back(router);
  return spec;
}

int noc_destination(const NetworkSpec& spec, const NocTraffic& traffic, int source, SplitMix64& random) {
  const int side = spec.topology == Topology::kMesh ? spec.mesh_columns : spec.routers;
  const int x = source % side, y = source / side;
  switch (traffic.pattern) {
    case NocPattern::kUniform:
      return static_cast<int>(random.below(spec.routers));
    case NocPattern::kTranspose:  // a ring of four is seen as two address bits
      if (spec.topology == Topology::kRing) return (source & 1) << 1 | (source >> 1 & 1);
      return y + side * x;
    case NocPattern::kNeighbor:
      if (spec.topology == Topology::kRing) return (source + 1) % side;
      return (x + 1) % side + side * ((y + 1) % side);
    case NocPattern::kHotspot:
      return traffic.hotspots[static_cast<std::size_t>(random.below(std::ssize(traffic.hotspots)))];
  }
  return source;
}

NocTrafficRun::NocTrafficRun(const NetworkSpec& spec, const NocTraffic& traffic, std::uint64_t seed)
    : spec_(spec),
      traffic_(traffic),
      core_(spec, traffic.request_reply ? VcSharing::kSplit : VcSharing::kAny),
      random_(SplitMix64(seed).next()) {}  // states of different seeds are not steps of one sequence

void NocTrafficRun::measure(Cycles from, Cycles to) {
  from_ = from;
  to_ = to;
}

void NocTrafficRun::run_until(Cycles cycle) {
  while (now_ < cycle) this->cycle();
}

bool NocTrafficRun::drain(Cycles limit) {
  for (Cycles end = now_ + limit; now_ < end && measured_under_way_ > 0;) cycle();
  return measured_under_way_ == 0;
}

void NocTrafficRun::cycle() {
  for (const Packet& reply : replies_) core_.inject(reply, now_);
  replies_.clear();
  for (int source = 0; source < spec_.routers; ++source)
    if (chance(traffic_.packets_per_cycle)) generate(source);
  core_.advance(now_);
  for (const Delivery& delivery : core_.delivered()) take(delivery);
  core_.delivered().clear();
  ++now_;
}

void NocTrafficRun::generate(int source) {
  const bool read = traffic_.request_reply && chance(kReadShare);
  const int flits = traffic_.request_reply ? (read ? 1 : 5) : traffic_.packet_flits;
  Packet packet{
      source, noc_destination(spec_, traffic_, source, random_), flits, false, 0, static_cast<std::uint64_t>(now_)};
  measured_under_way_ += now_ >= from_ && now_ < to_;
  core_.inject(packet, now_);
}

void NocTrafficRun::take(const Delivery& delivery) {
  const Packet& packet = delivery.packet;
  const Cycles generated = static_cast<Cycles>(packet.cookie);
  ++arrived_;
  if (now_ >= from_ && now_ < to_) accepted_flits_ += packet.flits;
  if (generated >= from_ && generated < to_) {
    latency_ += delivery.arrived - generated;
    ++measured_;
    --measured_under_way_;
  }
  if (!traffic_.request_reply || packet.reply) return;
  measured_under_way_ += now_ >= from_ && now_ < to_;
  replies_.push_back(
      {packet.destination, packet.source, packet.flits == 1 ? 5 : 1, true, 0, static_cast<std::uint64_t>(now_)});
}

NocMeasure NocTrafficRun::result() const {
  NocMeasure measure;
  measure.drained = measured_under_way_ == 0;
  measure.latency = measured_ == 0 ? 0 : static_cast<double>(latency_) / static_cast<double>(measured_);
  measure.accepted_flits =
      static_cast<double>(accepted_flits_) / static_cast<double>(to_ - from_) / static_cast<double>(spec_.routers);
  return measure;
}

}  // namespace tilewright
