// One core and the cluster memory its cluster shares, as resolved.
#pragma once

#include <array>

#include "sim/base/data_type.h"
#include "sim/base/units.h"

namespace tilewright {

enum class Dataflow { kOutputStationary, kWeightStationary };
enum class TileOverlap { kNone, kWeights, kFull };

struct MatmulSpec {
  int rows = 0, columns = 0;  // multiply-adds per cycle of one array = rows * columns
  int arrays = 1;             // identical arrays; the blocks of one instruction are distributed over them
  int adder_inputs = 1;       // products of a column that one adder sums: the columns' pipe is rows / this deep
  Dataflow dataflow = Dataflow::kWeightStationary;
  TileOverlap overlap = TileOverlap::kFull;
  int issue_cycles = 0;      // per matmul instruction before it streams, not overlapped with the one before
  int block_cycles_min = 4;  // shortest time between two array blocks
  // Weight-stationary, convolutions: whether one pass through the array reduces over channels of several kernel
  // positions, as a stored im2col matrix allows. An implicit im2col reads one position at a time.
  bool pack_kernel = true;
  // Images that enter the array side by side, as the rows of a vector register: a convolution of fewer is padded to it.
  int image_granule = 1;
  // fp16 operands of an array that multiplies bf16: how many are converted per cycle before an instruction's blocks
  // stream, each once per instruction. 0: the array takes fp16 as it is.
  int fp16_elements_per_cycle = 0;
  // Throughput relative to fp16/bf16: 2 means int8 runs two multiply-adds per cell and cycle.
  std::array<double, kDataTypeCount> rate{};
  int block_m = 0, block_n = 0;  // granule a tiling is rounded to
  int sync_granularity = 8;      // method tiling.md: chunk between matmul and vector unit, in minimum blocks

  std::int64_t cells() const { return std::int64_t{rows} * columns * arrays; }
  // Multiply-adds per cycle of all arrays, at the rate of `type`.
  double macs_per_cycle(DataType type) const { return static_cast<double>(cells()) * rate[static_cast<int>(type)]; }
};

struct VectorSpec {
  int lanes = 0;         // 32-bit elements per cycle; narrower types are not faster
  int issue_cycles = 0;  // per vector instruction
  // Passes over the lanes that one element of the operation costs.
  int simple_passes = 1;          // add, mul, max, cast, relu ...
  int transcendental_passes = 4;  // exp, erf, tanh, sigmoid, gelu, pow
  int divide_passes = 2;          // div, reciprocal, sqrt, rsqrt
  double reduction_cycles = 0;    // per reduced result: the steps across the lanes behind the element-wise ones
  // Besides the operation's, for lanes of 32 bit that have no fp16: per element read and per result written.
  int fp16_load_passes = 0, fp16_store_passes = 0;
};

struct DmaSpec {
  int setup_cycles = 0;           // per load, store or copy instruction
  int outstanding_requests = 64;  // loads and stores together
  Bytes request_bytes = 256;      // longest single request to memory
  int requests_per_cycle = 1;
  Bytes buffer_bytes_per_cycle = 64;  // port between the DMA engine and the core's buffers
};

// Signals between cores: on wires of their own, or as packets of the network.
enum class SignalWay { kWires, kPackets };

struct ControlSpec {
  int unit_queue = 16;  // instructions waiting in front of each unit stream
  int dispatch_per_cycle = 1;
  Bytes fetch_bytes = 512;  // one instruction fetch
  int fetch_ahead = 4;      // fetches in flight or waiting to be dispatched
  SignalWay signals = SignalWay::kWires;
  int signal_cycles = 20;  // a signal on wires, or a barrier's release, from one core to another
  int launch_cycles = 0;   // before the first instruction of a program
};

struct CoreSpec {
  Bytes buffer_a = 0, buffer_b = 0, accumulator = 0;  // capacities
  MatmulSpec matmul;
  VectorSpec vector;
  DmaSpec dma;
  ControlSpec control;
};

// The memory shared by the cores of a cluster: some ways are a cache of DRAM, the others a program addresses directly.
struct ClusterMemorySpec {
  Bytes capacity = 0;
  Bytes line_bytes = 128;
  int ways = 16, addressed_ways = 0;
  int banks = 4, mshrs = 32;
  bool bank_hash = false;   // spread the lines by folding the higher bits of their number into the bank's
  int latency_cycles = 12;  // core clocks, hit or direct access
  Bytes bank_bytes_per_cycle = 64;

  Bytes addressed_capacity() const { return capacity / ways * addressed_ways; }
  Bytes cache_capacity() const { return capacity - addressed_capacity(); }
};

}  // namespace tilewright
