// What the passes hand on: the graph with, for every tensor, where it lies, and for every operator, who computes which
// part with which tiling and which instructions; at the end one linked program.
#pragma once

#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/passes/tiling.h"
#include "sim/hw/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

// Half-open range of one dimension.
struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};
using BoxRange = std::vector<Range>;  // one range per dimension of a tensor

// A tensor in DRAM is cut along one dimension into pieces; each piece is contiguous and row-major in itself.
struct PlacedPiece {
  Range range;  // of TensorPlan::split_dimension
  Address address = 0;
  int region = 0;
};
struct TensorPlan {
  DataType type = DataType::kBf16;  // as stored and computed with
  int split_dimension = 0;
  std::vector<PlacedPiece> pieces;  // ascending, covering the dimension; empty: the tensor is an alias (reshape)
  TensorId alias_of = -1;           // tensor whose memory this one shares, same element order
};

// The part of an operator's output that one core computes. Parts of one operator cover the output without overlap.
struct WorkItem {
  int core = 0;
  BoxRange output;
};
struct Split {
  std::vector<WorkItem> items;
  std::string reason;  // e.g. "rows 384 over 16 cores", for people
};

struct OperatorPlan {
  Split split;
  std::vector<Tiling> tilings;                    // matmul and convolution: one per work item
  std::vector<std::vector<Instruction>> streams;  // per core, in plain order, before linking
};

// What the planner is told instead of choosing it. A choice that does not cover the output, or that a core has no room
// for, is the user's error.
struct OperatorChoice {
  OperatorId op = 0;            // in the graph as folded and fused
  Split split;                  // without items: as the planner splits
  std::vector<Tiling> tilings;  // matmul and convolution, one per work item; empty: as the planner tiles
};

struct PlanOptions {
  DataType type = DataType::kBf16;  // type floats are computed and stored in
  bool fuse = true;
  bool overlap_operators = true;  // false: on each core an operator starts when the one before it is done
  std::vector<OperatorChoice> choices;
  // Execution order by the operators' labels (planner/passes/order.h), and the file it comes from; empty: as imported.
  std::vector<std::string> order;
  std::string order_source = "order";
  Bytes divide_above = 0;  // data of an operator from which it is divided; 0: what the chip's memory holds

  const OperatorChoice* choice_of(OperatorId op) const {
    for (const OperatorChoice& choice : choices)
      if (choice.op == op) return &choice;
    return nullptr;
  }
};

struct Plan {
  Graph graph;
  Hardware hardware;
  PlanOptions options;
  std::vector<OperatorId> order;        // execution order
  std::vector<TensorPlan> tensors;      // by TensorId
  std::vector<OperatorPlan> operators;  // by OperatorId
  Program program;
};

}  // namespace tilewright
