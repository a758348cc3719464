// libsystemc exports its own main, which calls sc_main: the benchmark programs start here.
#include <benchmark/benchmark.h>

#include <systemc>

int sc_main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
