// Synthetic traffic on a network of one terminal per router, with BookSim 2's definitions of patterns and measures.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/base/random.h"
#include "sim/machine/network/network_core.h"

namespace tilewright {

enum class NocPattern { kUniform, kTranspose, kNeighbor, kHotspot };

inline constexpr double kReadShare = 0.75;  // of request-reply traffic

struct NocTraffic {
  NocPattern pattern = NocPattern::kUniform;
  std::vector<int> hotspots;     // kHotspot: each packet to one of them with equal probability
  int packet_flits = 1;          // one-way traffic
  bool request_reply = false;    // 75 % reads (1 flit there, 5 back), 25 % writes (5 there, 1 back)
  double packets_per_cycle = 0;  // of every terminal: probability per cycle of a packet, or of a request
};

// Where a packet of terminal `source` goes.
int noc_destination(const NetworkSpec& spec, const NocTraffic& traffic, int source, SplitMix64& random);

// mesh<k>x<k> or ring<n> with links of `link_cycles`; absent when `name` is neither.
std::optional<NetworkSpec> noc_topology(std::string_view name, int link_cycles);

struct NocMeasure {
  double latency = 0;         // cycles, mean: from generation to the last flit taken
  double accepted_flits = 0;  // per terminal and cycle, during the measured cycles
  bool drained = true;        // every measured packet arrived in time
};

// Bernoulli sources in front of a NetworkCore, one cycle at a time. Deterministic for a seed.
class NocTrafficRun {
 public:
  NocTrafficRun(const NetworkSpec& spec, const NocTraffic& traffic, std::uint64_t seed);

  // Packets generated in the cycles [from, to) are measured.
  void measure(Cycles from, Cycles to);
  void run_until(Cycles cycle);
  // Goes on, under the same load, until every measured packet has arrived, for at most `limit` cycles.
  bool drain(Cycles limit);
  NocMeasure result() const;
  std::int64_t arrived_packets() const { return arrived_; }

 private:
  bool chance(double probability) { return random_.unit_interval() < probability; }
  void generate(int source);
  void take(const Delivery& delivery);
  void cycle();

  NetworkSpec spec_;
  NocTraffic traffic_;
  NetworkCore core_;
  SplitMix64 random_;
  Cycles now_ = 0, from_ = 0, to_ = 0;
  std::vector<Packet> replies_;  // of the present cycle, enter their queues in the next
  std::int64_t arrived_ = 0, accepted_flits_ = 0, measured_ = 0, measured_under_way_ = 0, latency_ = 0;
};

}  // namespace tilewright
