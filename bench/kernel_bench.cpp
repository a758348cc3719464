// Activations per second of the bare SystemC kernel, to which every other figure can be held.
#include <benchmark/benchmark.h>

#include <memory>
#include <systemc>
#include <vector>

namespace tilewright {
namespace {

// The bare kernel: 128 modules, each wakes itself at its own times.
class Sleeper : public sc_core::sc_module {
 public:
  Sleeper(sc_core::sc_module_name name, unsigned seed) : sc_module(name), random_(seed) {
    SC_HAS_PROCESS(Sleeper);
    SC_METHOD(run);
    sensitive << wake_;
  }
  std::int64_t activations = 0;

 private:
  void run() {
    ++activations;
    random_ = random_ * 1664525 + 1013904223;
    wake_.notify(sc_core::sc_time(1 + (random_ >> 20), sc_core::SC_PS));
  }
  unsigned random_;
  sc_core::sc_event wake_;
};

void bare_activations(benchmark::State& state) {
  static const auto sleepers = [] {
    std::vector<std::unique_ptr<Sleeper>> all;
    for (unsigned i = 0; i < 128; ++i)
      all.push_back(std::make_unique<Sleeper>(sc_core::sc_gen_unique_name("sleeper"), i));
    return all;
  }();
  for (const auto& sleeper : sleepers) sleeper->activations = 0;
  for (auto _ : state) sc_core::sc_start(100, sc_core::SC_NS);
  double activations = 0;
  for (const auto& sleeper : sleepers) activations += static_cast<double>(sleeper->activations);
  state.counters["activations/s"] = benchmark::Counter(activations, benchmark::Counter::kIsRate);
}
BENCHMARK(bare_activations)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilewright
