// A bound of the cost of one point of the tiling space, by arithmetic alone: never above what its program measures.
// It orders and prunes a search; it is no prediction.
//
// Each of these takes at least its own time, and the bound is the longest of them:
//   array    issue and occupancy of every matmul instruction of the largest part, behind the first strips, before the
//            last result's way out
//   port     everything the largest part loads and stores, through the core's buffer port
//   lanes    descriptor set-up and requests of its loads, and of its stores, one after the other
//   vector   what its results cost in the vector unit
//   DRAM     the bytes of all parts at the peak rate of all channels
//   network  the same bytes through the ports of the clusters
#pragma once

#include <vector>

#include "planner/ir/objective.h"
#include "planner/ir/plan.h"
#include "planner/ir/tiling_limits.h"
#include "planner/ir/tiling_point.h"

namespace tilewright {

// Everything the arithmetic needs of an operator and its chip: numbers only.
struct TilingProblem {
  GemmShape whole;  // the operator as one part; a convolution's batches are its groups
  std::int64_t batch_parts = 1, m_parts = 1, n_parts = 1;  // most parts of each direction
  Bytes result_element = 2;
  std::int64_t pad_h = 0, pad_w = 0;        // of a convolution, both sides together
  bool a_batched = true, b_batched = true;  // each product of a batch has an operand of its own
  int vector_instructions = 1;              // per tile of the result, behind its multiply-adds
  bool on_vector = false, on_both = false;  // all multiply-adds there, or those of groups on either unit; else: array
  bool only_spilled = false;                // of the points those whose sums wait in the input buffers (ir/spill.h)
  bool abreast = false;                     // some part may compute output columns abreast (ir/abreast.h)
  DataType type = DataType::kBf16;
  TilingLimits limits;

  int cores = 1, cores_per_cluster = 1;
  CoreSpec core;
  std::vector<CoreSpec> kinds;         // where cores differ: any of them may have a part; else empty
  double dram_bytes_per_cycle = 1;     // core clocks
  double cluster_bytes_per_cycle = 1;  // each way
  bool shares_loads = false;           // what one core reads may serve the others of its cluster
  Bytes largest_request = 256;
  double static_pj_per_cycle = 0, read_pj_per_byte = 0, write_pj_per_byte = 0, macs_pj = 0;
};

// Of operator `id` of a plan with types and a graph as folded and fused.
TilingProblem tiling_problem(const Plan& plan, OperatorId id);

// The largest and the smallest part when each direction is cut evenly.
GemmShape largest_part(const TilingProblem& problem, const TilingPoint& point);
GemmShape smallest_part(const TilingProblem& problem, const TilingPoint& point);

struct TilingBound {
  double cycles = 0;     // core clocks
  double energy_pj = 0;  // static over that time, DRAM's bytes, multiply-adds
  double dram_bytes = 0;
  double work = 0;               // sum of what `cycles` is the longest of: tells apart points of equal bound
  double array = 0, memory = 0;  // two of these: the array; the longer of DRAM and network
};
TilingBound tiling_bound(const TilingProblem& problem, const TilingPoint& point);
double value_of(const TilingBound& bound, Objective objective);

}  // namespace tilewright
