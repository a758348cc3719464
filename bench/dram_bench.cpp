// How fast the DRAM controller simulates: bursts per second of CPU time, single-burst streams of the published
// comparison and requests as the chip sends them.
#include <benchmark/benchmark.h>

#include <systemc>

#include "sim/machine/dram/dram_controller.h"
#include "validation/dram.h"

namespace tilewright {
namespace {

void stream(benchmark::State& state, const char* memory, DramPattern pattern) {
  const DramSpec spec = reference_dram_spec(memory, "M1");
  const DramStream stream{.pattern = pattern, .rate = DramRate::kClosed32};
  for (auto _ : state) benchmark::DoNotOptimize(run_stream(spec, stream).total_clocks);
  state.SetItemsProcessed(state.iterations() * stream.requests);
}
BENCHMARK_CAPTURE(stream, ddr4_sequential, "DDR4", DramPattern::kSeqRead);
BENCHMARK_CAPTURE(stream, ddr4_random, "DDR4", DramPattern::kRandomRead);
BENCHMARK_CAPTURE(stream, hbm2_sequential, "HBM2", DramPattern::kSeqRead);
BENCHMARK_CAPTURE(stream, hbm2_random, "HBM2", DramPattern::kRandomRead);

// Runs of 8 bursts, bank after bank, 32 outstanding; wakes only when asked.
void dram_requests(benchmark::State& state, const char* memory) {
  const DramSpec spec = reference_dram_spec(memory, "M1");
  constexpr int kTrains = 16384, kBursts = 8;
  for (auto _ : state) {
    DramController controller(spec);
    int pushed = 0, done = 0;
    Cycles now = 0;
    while (done < kTrains) {
      for (; pushed < kTrains && pushed - done < 32; ++pushed)
        controller.push({.bank = pushed % 16, .row = pushed / 64, .bursts = kBursts}, now);
      now = controller.next_wakeup();
      controller.advance(now);
      done += static_cast<int>(controller.completions().size());
      controller.completions().clear();
    }
  }
  state.SetItemsProcessed(state.iterations() * kTrains * kBursts);
}
BENCHMARK_CAPTURE(dram_requests, ddr4, "DDR4");
BENCHMARK_CAPTURE(dram_requests, hbm2, "HBM2");

}  // namespace
}  // namespace tilewright
