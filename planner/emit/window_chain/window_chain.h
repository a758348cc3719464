// One core's part of a group of windows (ir/group.h): convolutions and pools one behind the other, and the blocks of
// rows that it is walked by.
#pragma once

#include <memory>
#include <vector>

#include "planner/graph/window.h"
#include "planner/ir/contraction.h"
#include "planner/ir/group.h"
#include "planner/ir/tiling_limits.h"
#include "sim/isa/instruction.h"

namespace tilewright {

struct WindowStep {
  OperatorId op = -1;
  BoxRange box;                       // of its result
  std::unique_ptr<Contraction> part;  // null: a pool
  TilingLimits limits;                // of a pool: its elements and copies
  Window window;
  double pad_value = 0;
  BoxRange input;         // what its windows cover, padding left out, in all channels that are there
  std::int64_t rows = 0;  // of the whole input
  std::int64_t columns = 0;

  bool is_pool() const { return part == nullptr; }
  bool grouped() const { return is_pool() || part->shape().batches > 1; }
  // What tiles of its result are counted in: groups of a grouped convolution, else channels.
  std::int64_t units() const {
    if (is_pool()) return box[1].size();
    return grouped() ? part->shape().batches : part->shape().m;
  }
  std::int64_t channels_per_unit() const { return !is_pool() && grouped() ? part->shape().m : 1; }
};

// What is computed before the next block: so many rows of one image of the last result, and of each result before it
// what those need and is not there yet.
struct WindowVisit {
  Range image;
  std::vector<Range> made;  // by step: rows of its result
};

class WindowChain {
 public:
  // `output`: part of the group's result; something is needed of every member for it (member_parts()).
  WindowChain(const Plan& plan, const OperatorGroup& group, const BoxRange& output);

  const Plan& plan() const { return plan_; }
  const std::vector<WindowStep>& steps() const { return steps_; }
  std::int64_t rows() const { return steps_.back().box[2].size(); }

  // In order, `rows` of the last result at a time.
  std::vector<WindowVisit> visits(std::int64_t rows) const;
  // Rows of a step's input, those of padding included, that a range of its result needs; empty for none.
  Range needed(std::size_t step, Range made) const;
  std::int64_t macs(std::int64_t rows) const;

 private:
  WindowVisit visit_of(const Range& image, const Range& rows, const WindowVisit* before) const;

  const Plan& plan_;
  std::vector<WindowStep> steps_;
};

// Multiply-adds of all groups of windows beyond those of their operators: rows that several cores make.
std::int64_t macs_repeated(const Plan& plan);

}  // namespace tilewright
