#include "sim/hw/timing/array_time.h"

#include <algorithm>
#include <cmath>

#include "sim/base/error.h"

namespace tilewright {
namespace {

// What every dataflow comes down to: `blocks` folds, each streaming `stream` elements past the array.
struct Folds {
  std::int64_t blocks, stream;
};

Folds folds_of(const MatmulSpec& spec, ArrayWork work) {
  if (work.images > 0) work.n = work.n / work.images * round_up<std::int64_t>(work.images, spec.image_granule);
  auto folds = [&](std::int64_t down, std::int64_t across) {
    return ceil_div<std::int64_t>(down, spec.rows) * ceil_div<std::int64_t>(across, spec.columns);
  };
  if (spec.dataflow == Dataflow::kOutputStationary) return {folds(work.m, work.n), work.k};
  const std::int64_t passes = spec.pack_kernel ? 1 : work.kernel, deep = work.k / passes;
  if (work.a_stationary) return {passes * folds(deep, work.m), work.n};
  return {passes * folds(deep, work.n), work.m};
}

Cycles at_rate(std::int64_t elements, double rate) {
  return static_cast<Cycles>(std::ceil(static_cast<double>(elements) / rate));
}

// Cycles in which `length` stream elements enter the array. A weight-stationary array takes them in chunks of at most
// `rows`, as its input buffer is read, and a short chunk at the end of a run costs as much as the shortest block.
Cycles run_cycles(const MatmulSpec& spec, std::int64_t length, double rate) {
  std::int64_t rest = length % spec.rows;
  Cycles whole = at_rate(length - rest, rate);
  return rest == 0 ? whole : whole + std::max<Cycles>(at_rate(rest, rate), spec.block_cycles_min);
}

Cycles stream_cycles(const MatmulSpec& spec, const ArrayWork& work, std::int64_t stream, double rate) {
  if (spec.dataflow == Dataflow::kOutputStationary) return at_rate(stream, rate);
  std::int64_t run = work.run > 0 ? std::min(work.run, stream) : stream;
  Cycles cycles = stream / run * run_cycles(spec, run, rate);
  return stream % run == 0 ? cycles : cycles + run_cycles(spec, stream % run, rate);
}

// Steps down the rows; where weights stay, those are of one sum.
Cycles depth_of(const MatmulSpec& spec) {
  return spec.dataflow == Dataflow::kOutputStationary ? spec.rows : ceil_div<Cycles>(spec.rows, spec.adder_inputs);
}

// SCALE-Sim v3, calculation mode: K + R + C - 2 output-stationary, M + 2R + C - 2 weight-stationary.
// Weights that load behind the block before leave out one of the two R.
Cycles fold_cycles(const MatmulSpec& spec, Cycles stream) {
  const bool hidden = spec.overlap == TileOverlap::kWeights || spec.dataflow == Dataflow::kOutputStationary;
  if (spec.overlap == TileOverlap::kWeights) stream = std::max<Cycles>(stream, spec.block_cycles_min);
  return stream + (hidden ? 0 : spec.rows) + depth_of(spec) + spec.columns - 2;
}

// Blocks one behind the other; of those left over, several arrays hold the same one and share its stream.
Cycles without_overlap(const MatmulSpec& spec, std::int64_t blocks, Cycles stream) {
  const Cycles whole = blocks / spec.arrays * fold_cycles(spec, stream);
  const std::int64_t left = blocks % spec.arrays;
  return left == 0 ? whole : whole + fold_cycles(spec, ceil_div<Cycles>(stream, spec.arrays / left));
}

// ONNXim, SystolicWS: an empty pipe waits 2R - 1 for the weights; later weights are loaded, one row per cycle, behind
// the block before, so a block lasts at least R cycles. The results of an output-stationary block leave the array one
// row per cycle behind the next block, which gives the same lower limit; it needs no preload.
ArrayTime overlapped(const MatmulSpec& spec, std::int64_t blocks, Cycles stream) {
  ArrayTime time;
  stream = std::max<Cycles>(stream, spec.block_cycles_min);
  Cycles block = std::max<Cycles>(stream, spec.rows);
  time.fill = spec.dataflow == Dataflow::kOutputStationary ? 0 : spec.rows + depth_of(spec) - 1;
  time.occupancy = blocks / spec.arrays * block;
  // The blocks left over: several arrays hold the same one and share its stream.
  if (const std::int64_t left = blocks % spec.arrays; left > 0)
    time.occupancy += std::max<Cycles>(ceil_div<Cycles>(stream, spec.arrays / left), spec.rows);
  time.drain = std::max<Cycles>(0, stream - block + depth_of(spec) + spec.columns - 2);
  return time;
}

// Of both operands, before the first block streams. The first weights enter an empty array meanwhile.
Cycles conversion_cycles(const MatmulSpec& spec, const ArrayWork& work) {
  if (spec.fp16_elements_per_cycle == 0 || work.type != DataType::kFp16) return 0;
  return ceil_div<std::int64_t>((work.m + work.n) * work.k, spec.fp16_elements_per_cycle);
}

}  // namespace

ArrayTime array_time(const MatmulSpec& spec, const ArrayWork& work) {
  SIM_CHECK(work.m > 0 && work.n > 0 && work.k > 0, "matmul of {} x {} x {}", work.m, work.n, work.k);
  double rate = spec.rate[static_cast<int>(work.type)];
  SIM_CHECK(rate > 0, "the array does not multiply {}", name_of(work.type));
  Folds folds = folds_of(spec, work);
  ArrayTime time;
  if (spec.overlap != TileOverlap::kFull)
    time.occupancy = without_overlap(spec, folds.blocks, at_rate(folds.stream, rate));
  else
    time = overlapped(spec, folds.blocks, stream_cycles(spec, work, folds.stream, rate));
  time.blocks = folds.blocks;
  const Cycles conversion = conversion_cycles(spec, work);
  time.occupancy += conversion;
  time.fill = std::max<Cycles>(0, time.fill - conversion);
  return time;
}

}  // namespace tilewright
