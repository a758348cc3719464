// Speed of the network model: packets delivered per CPU second.
#include <benchmark/benchmark.h>

#include <systemc>

#include "sim/model/network/network_module.h"
#include "validation/noc_traffic.h"

namespace {

using namespace tilewright;

void run(benchmark::State& state, const char* topology, double load, int flits) {
  NocTraffic traffic;
  traffic.packet_flits = flits;
  traffic.packets_per_cycle = load / flits;
  NocTrafficRun network(*noc_topology(topology, 1), traffic, 1);
  Cycles cycle = 2000;
  network.run_until(cycle);
  const std::int64_t before = network.arrived_packets();
  for (auto _ : state) network.run_until(cycle += 100);
  state.counters["packets/s"] =
      benchmark::Counter(static_cast<double>(network.arrived_packets() - before), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(run, mesh4x4_uniform_45_1flit, "mesh4x4", 0.45, 1);
BENCHMARK_CAPTURE(run, mesh4x4_uniform_45_5flits, "mesh4x4", 0.45, 5);
BENCHMARK_CAPTURE(run, mesh4x4_uniform_45_17flits, "mesh4x4", 0.45, 17);
BENCHMARK_CAPTURE(run, mesh8x8_uniform_25_1flit, "mesh8x8", 0.25, 1);
BENCHMARK_CAPTURE(run, mesh4x4_uniform_5_1flit, "mesh4x4", 0.05, 1);

// Eight clusters read 512 bytes at a time from eight channels over two routers, through the kernel; a module for life,
// as the kernel allows no other.
class Readers : public PacketReceiver, public FaultSink {
 public:
  Readers() : network_("network", spec(), meter_, *this) {
    meter_.reset(1);
    for (int terminal = 0; terminal < 16; ++terminal) network_.attach(terminal, this);
    for (int i = 0; i < 32; ++i) network_.send({i % 8, 8 + i % 8, 1}, 0);
  }
  void packet_arrived(const Packet& packet, Picoseconds now) override {
    reads += packet.reply;
    if (packet.reply) {
      network_.send({packet.destination, 8 + (packet.source + 3) % 8, 1}, now);
    } else {
      network_.send({packet.destination, packet.source, 17, true}, now);
    }
  }
  void fault(std::exception_ptr error) override { std::rethrow_exception(error); }

  std::int64_t reads = 0;

 private:
  static NetworkSpec spec() {
    NetworkSpec spec;
    spec.routers = 2;
    spec.links.assign({{0, 1}, {1, 0}});
    spec.clusters = spec.channels = 8;
    spec.terminal_router.assign(8, 0);
    spec.terminal_router.resize(16, 1);
    return spec;
  }

  EventMeter meter_;
  NetworkModule network_;
};

void reads_through_the_kernel(benchmark::State& state) {
  static Readers readers;
  const std::int64_t before = readers.reads;
  for (auto _ : state) sc_core::sc_start(10, sc_core::SC_US);
  state.counters["reads/s"] =
      benchmark::Counter(static_cast<double>(readers.reads - before), benchmark::Counter::kIsRate);
}
BENCHMARK(reads_through_the_kernel);

}  // namespace
