#include "planner/estimate/unit_times.h"

#include <algorithm>

#include "planner/estimate/bandwidth.h"
#include "sim/isa/request_splitter.h"
#include "sim/isa/unit_time.h"

namespace tilewright {
namespace {

// Distance between the beginnings of runs of `run` bytes: the innermost stride that leaves them.
Bytes pitch_of(const Extents& extents, const Strides& strides, Bytes run) {
  for (int d = kBoxDims - 1; d >= 0; --d)
    if (extents[d] > 1 && strides[d] > run) return strides[d];
  return run;
}

// What a box in memory gives of `share`.
double box_share(const Hardware& hardware, const Box& box, const Extents& extents, Bytes element, double share) {
  const bool chip_map = box.space == Space::kDram && box.address >= hardware.dram.capacity();  // before linking
  if (box.space == Space::kCluster || chip_map) return cluster_memory_share(hardware);
  if (box.space != Space::kDram) return static_cast<double>(hardware.core.dma.buffer_bytes_per_cycle);
  const Bytes run = RunWalker(extents, box.stride, box.address, element).run_bytes();
  const Bytes pitch = pitch_of(extents, box.stride, run);
  return run >= pitch ? share : share * run_efficiency(hardware.dram, run, pitch);
}

double transfer_time(const Hardware& hardware, const Transfer& transfer, double share) {
  const Extents read = unpadded(transfer);
  const Bytes element = bytes_of(transfer.type);
  const auto moved = static_cast<double>(element_count(read) * element);
  const double rate = std::min(box_share(hardware, transfer.source, read, element, share),
                               box_share(hardware, transfer.target, read, element, share));
  const double through_port =
      port_time(hardware.core.dma, static_cast<double>(element_count(transfer.shape) * element));
  return hardware.core.dma.setup_cycles + std::max(moved / rate, through_port);
}

}  // namespace

MatmulTime matmul_time(const MatmulSpec& spec, const ArrayWork& work) {
  const ArrayTime time = array_time(spec, work);
  return {time.fill, time.occupancy + spec.issue_cycles, time.drain};
}

Cycles least_occupancy(const MatmulSpec& spec, ArrayWork work) {
  work.a_stationary = shorter_with_a_held(spec, work);
  return array_time(spec, work).occupancy;
}

bool shorter_with_a_held(const MatmulSpec& spec, ArrayWork work) {
  if (spec.dataflow == Dataflow::kOutputStationary) return false;
  work.a_stationary = false;
  const Cycles b_held = array_time(spec, work).occupancy;
  work.a_stationary = true;
  return array_time(spec, work).occupancy < b_held;
}

int least_passes(const VectorSpec& spec) {
  return std::min({spec.simple_passes, spec.transcendental_passes, spec.divide_passes});
}

int expansion_passes(const VectorSpec& spec, DataType type) {
  return passes_of(spec, VectorOp::kDequantize) + (type == DataType::kFp16 ? spec.fp16_store_passes : 0);
}

int scaling_passes(const VectorSpec& spec, DataType type) {
  return passes_of(spec, VectorOp::kMul) + (type == DataType::kFp16 ? spec.fp16_store_passes : 0);
}

double instruction_time(const Hardware& hardware, const Instruction& instruction, double share) {
  if (const auto* transfer = std::get_if<Transfer>(&instruction.payload))
    return transfer_time(hardware, *transfer, share);
  if (const auto* matmul = std::get_if<Matmul>(&instruction.payload))
    return static_cast<double>(matmul_time(hardware.core.matmul, array_work_of(*matmul)).busy);
  if (const auto* vector = std::get_if<Vector>(&instruction.payload))
    return static_cast<double>(vector_cycles(hardware.core.vector, *vector));
  return 0;
}

}  // namespace tilewright
