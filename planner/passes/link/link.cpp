#include "planner/passes/link/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "planner/constants/constants.h"
#include "planner/estimate/bandwidth.h"
#include "planner/ir/access.h"
#include "planner/ir/group.h"
#include "planner/ir/hand_on.h"
#include "planner/ir/memory_sharing.h"
#include "planner/ir/partials.h"
#include "planner/ir/region_allocator.h"
#include "planner/passes/link/link_core.h"
#include "planner/passes/link/link_memories.h"
#include "sim/base/error.h"
#include "sim/isa/binary.h"
#include "sim/isa/verify/verify.h"

namespace tilewright {
namespace {

SegmentKind kind_of(const Plan& plan, TensorId storage) {
  SegmentKind kind = SegmentKind::kHidden;
  for (std::size_t id = 0; id < plan.tensors.size(); ++id) {
    const Tensor& tensor = plan.graph.tensor(static_cast<TensorId>(id));
    if (storage_of(plan, static_cast<TensorId>(id)) != storage) continue;
    const bool appended_to = tensor.is_cache && static_cast<TensorId>(id) != storage;
    if (tensor.kind == TensorKind::kInput) return appended_to ? SegmentKind::kState : SegmentKind::kInput;
    if (tensor.kind == TensorKind::kConstant) return SegmentKind::kConstant;
    if (tensor.kind == TensorKind::kOutput) kind = SegmentKind::kOutput;
  }
  return kind;
}

// One segment for pieces that share memory; returns these pieces.
std::set<std::pair<TensorId, std::size_t>> add_shared_segments(Plan& plan) {
  std::set<std::pair<TensorId, std::size_t>> shared;
  for (const MemoryRun& run : memory_runs(plan)) {
    if (run.pieces.size() == 1 || !run.in_dram()) continue;
    plan.program.segments.push_back({fmt::format("shared memory {}", plan.program.segments.size()),
                                     SegmentKind::kHidden, plan.tensors[run.pieces[0].tensor].type, run.begin,
                                     run.end - run.begin});
    for (const PlacedMemory& piece : run.pieces) shared.emplace(piece.tensor, piece.piece);
  }
  return shared;
}

void add_tensor_segments(Plan& plan) {
  const auto shared = add_shared_segments(plan);
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id) {
    const TensorPlan& tensor = plan.tensors[id];
    if (tensor.alias_of >= 0) continue;
    const Tensor& meaning = plan.graph.tensor(id);
    for (std::size_t i = 0; i < tensor.pieces.size(); ++i)
      if (tensor.pieces[i].in_dram() && !shared.contains({id, i}))
        plan.program.segments.push_back({piece_name(meaning.name, tensor, i), kind_of(plan, id), tensor.type,
                                         tensor.pieces[i].address,
                                         piece_bytes(tensor, meaning.shape, tensor.pieces[i])});
  }
}

std::vector<Segment> partial_segments(const Plan& plan) {
  std::vector<Segment> segments;
  for (const OperatorId id : plan.order) {
    const auto& partials = plan.operators[id].partials;
    for (std::size_t i = 0; i < partials.size(); ++i) {
      const PartialPlan& partial = partials[i];
      if (!partial.in_dram()) continue;
      const DataType type = accumulator_type(plan.tensors[plan.graph.op(id).inputs[0]].type);
      segments.push_back({fmt::format("{}#partial{}", plan.graph.op(id).name, i), SegmentKind::kHidden, type,
                          partial.place.address, partial.bytes});
    }
  }
  return segments;
}

// Of those that overlap one, over all of their bytes.
std::vector<Segment> overlaps_joined(std::vector<Segment> segments) {
  std::ranges::stable_sort(segments, {}, &Segment::address);
  std::vector<Segment> joined;
  for (Segment& segment : segments) {
    if (joined.empty() || joined.back().address + joined.back().bytes <= segment.address) {
      joined.push_back(std::move(segment));
      joined.back().name = fmt::format("partial results {}", joined.size());
    } else {
      joined.back().bytes = std::max(joined.back().bytes, segment.address + segment.bytes - joined.back().address);
    }
  }
  return joined;
}

void add_partial_segments(Plan& plan) {
  std::vector<Segment> segments = partial_segments(plan);
  if (partials_in_turn(plan)) segments = overlaps_joined(std::move(segments));
  std::ranges::move(segments, std::back_inserter(plan.program.segments));
}

void add_fetch_segments(Plan& plan) {
  RegionAllocator allocator(plan);
  for (std::size_t core = 0; core < plan.program.cores.size(); ++core) {
    CoreProgram& program = plan.program.cores[core];
    if (program.instructions.empty()) continue;
    const Bytes bytes = encoded_size(program);
    const std::string name = fmt::format("instructions of core {}", core);
    const int region = plan.hardware.local_region(plan.hardware.cluster_of(static_cast<int>(core)));
    program.fetch_address = allocator.allocate(bytes, region, name).address;
    plan.program.segments.push_back({name, SegmentKind::kInstructions, DataType::kInt8, program.fetch_address, bytes});
  }
}

// Whether a core has instructions of some operator: who has none meets nobody.
std::vector<bool> cores_with_work(const Plan& plan) {
  std::vector<bool> works(static_cast<std::size_t>(plan.hardware.cores()), false);
  for (const OperatorPlan& planned : plan.operators)
    for (std::size_t core = 0; core < planned.streams.size(); ++core)
      if (!planned.streams[core].empty()) works[core] = true;
  return works;
}

// What a core gets while it waits for others.
Bytes early_bytes(const Plan& plan) {
  if (plan.options.early_loads != EarlyLoads::kAlways || !plan.options.overlap_operators) return 0;
  return static_cast<Bytes>(constants().early_load_cycles * bandwidth_share(plan.hardware, plan.hardware.cores()));
}

void join_operators(Plan& plan) {
  std::vector<CoreLinker> cores;
  const CoreLinker::Options options{plan.options.overlap_operators, early_bytes(plan)};
  for (int core = 0; core < plan.hardware.cores(); ++core) cores.emplace_back(plan.hardware.core_of(core), options);
  const std::vector<bool> works = cores_with_work(plan);
  const auto workers = static_cast<int>(std::count(works.begin(), works.end(), true));
  BarrierPlan barriers(plan);
  for (const OperatorId id : plan.order) {
    OperatorPlan& planned = plan.operators[id];
    if (planned.split.items.empty() || root_of(plan, id) != id) continue;
    const BarrierStep step = barriers.next(id);
    std::optional<AreaMoves> common;  // of cores that reach into each other's buffers
    for (std::size_t core = 0; core < cores.size(); ++core) {
      if (step.barrier && works[core]) cores[core].barrier(workers, step.released);
      const AreaMoves moves = cores[core].append(planned.streams[core], step.remote[core], common);
      if (hands_on(planned) && !planned.streams[core].empty()) common = moves;
    }
  }
  for (CoreLinker& core : cores) plan.program.cores.push_back(core.take());
  name_memories(plan.program, plan.hardware);
}

}  // namespace

void link(Plan& plan) {
  SIM_CHECK(plan.graph.operators().size() < 65535, "{} operators do not fit a program", plan.graph.operators().size());
  plan.program = {};
  plan.program.name = plan.graph.name;
  for (const Operator& op : plan.graph.operators()) plan.program.operators.push_back(op.name);
  add_tensor_segments(plan);
  add_partial_segments(plan);
  join_operators(plan);
  add_fetch_segments(plan);
}

void verify_link(const Plan& plan) { expect_legal(plan.program, plan.hardware); }

}  // namespace tilewright
