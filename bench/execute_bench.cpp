// Multiply-adds and vector elements per second when a run carries values.
#include <benchmark/benchmark.h>

#include <systemc>

#include "sim/machine/core/execute.h"

namespace tilewright {
namespace {

CoreMemory make_memory() {
  CoreMemory memory;
  memory.buffer_a = ZeroedBytes(1 << 20);
  memory.buffer_b = ZeroedBytes(1 << 20);
  memory.accumulator = ZeroedBytes(1 << 20);
  return memory;
}

void matmul(benchmark::State& state, DataType type) {
  CoreMemory memory = make_memory();
  const std::int64_t side = state.range(0);
  const Bytes element = bytes_of(type);
  Matmul matmul;
  matmul.type = type;
  matmul.m[2] = matmul.n[2] = matmul.k[2] = side;
  matmul.a = {Space::kBufferA, 0, {0, 0, side * element}, {0, 0, element}};
  matmul.b = {Space::kBufferB, 0, {0, 0, side * element}, {0, 0, element}};
  matmul.c = {Space::kAccumulator, 0, {0, 0, side * 4}, {0, 0, 4}};
  for (auto _ : state) execute_matmul(matmul, memory);
  state.counters["macs_per_s"] =
      benchmark::Counter(static_cast<double>(side * side * side * state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(matmul, bf16, DataType::kBf16)->Arg(64)->Arg(256);
BENCHMARK_CAPTURE(matmul, int8, DataType::kInt8)->Arg(64)->Arg(256);

void vector_add(benchmark::State& state) {
  CoreMemory memory = make_memory();
  Vector vector;
  vector.op = VectorOp::kAdd;
  vector.shape = {1, 1, 1, 128, 128};
  vector.a = vector.b = {Space::kAccumulator, 0, {0, 0, 0, 512, 4}, DataType::kFp32};
  vector.target = {Space::kAccumulator, 1 << 17, {0, 0, 0, 256, 2}, DataType::kBf16};
  for (auto _ : state) execute_vector(vector, memory);
  state.counters["elements_per_s"] =
      benchmark::Counter(static_cast<double>(128 * 128 * state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(vector_add);

}  // namespace
}  // namespace tilewright
