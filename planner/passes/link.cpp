#include "planner/passes/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "planner/passes/access.h"
#include "planner/passes/lower.h"
#include "planner/passes/pipeline.h"
#include "planner/passes/place.h"
#include "planner/passes/requirement.h"
#include "sim/base/error.h"
#include "sim/isa/binary.h"
#include "sim/isa/verify.h"

namespace tilewright {
namespace {

// Tokens of an operator: those of its pairs of streams, then "this stream is done" and "this stream may go".
constexpr int kEndTokens = Pipeline::kPairTokens, kGoTokens = kEndTokens + kUnitCount;
constexpr int kTokensPerOperator = kGoTokens + kUnitCount;
// Ids repeat after this many operators; by then every earlier token has been consumed.
constexpr int kTokenSets = 64;

constexpr int kLocalBarrier = 1 << 20;  // ids of barriers of one core, apart from the chip's

class CoreLinker {
 public:
  bool empty() const { return core_.instructions.empty(); }

  // Appends one operator's instructions. Every stream in use starts behind the fence before it.
  void append(std::vector<Instruction> instructions) {
    base_ = (set_++ % kTokenSets) * kTokensPerOperator;
    for (Instruction& instruction : instructions) {
      renumber(instruction.waits);
      renumber(instruction.posts);
      int& last = last_[static_cast<int>(instruction.unit)];
      if (fence_ >= 0 && last < 0 && instruction.unit != Unit::kStore)
        order(core_.instructions[fence_], instruction, kGoTokens + static_cast<int>(instruction.unit));
      last = static_cast<int>(core_.instructions.size());
      core_.instructions.push_back(std::move(instruction));
    }
  }

  // A barrier in the store stream that everything before it must have reached and everything after it waits for.
  void fence(int id, int participants) {
    Instruction barrier{.unit = Unit::kStore};
    barrier.payload = Barrier{id, participants};
    for (const Unit unit : {Unit::kLoad, Unit::kMatmul, Unit::kVector})
      if (const int last = last_[static_cast<int>(unit)]; last >= 0)
        order(core_.instructions[last], barrier, kEndTokens + static_cast<int>(unit));
    last_.fill(-1);
    fence_ = static_cast<int>(core_.instructions.size());
    core_.instructions.push_back(barrier);
  }

  CoreProgram take() { return std::move(core_); }

 private:
  void renumber(TokenList& tokens) const {
    for (int i = 0; i < tokens.count; ++i) tokens.token[i] = static_cast<std::uint16_t>(tokens.token[i] + base_);
  }
  void order(Instruction& earlier, Instruction& later, int token) const {
    earlier.posts.add(base_ + token);
    later.waits.add(base_ + token);
  }

  CoreProgram core_;
  std::array<int, kUnitCount> last_{-1, -1, -1, -1};  // latest instruction of each stream since the fence
  int set_ = 0, base_ = 0, fence_ = -1;
};

bool crosses_cores(const Plan& plan, OperatorId id, OperatorId producer, std::size_t input) {
  const Operator& op = plan.graph.op(id);
  const TensorId tensor = all_inputs(op)[input];
  const auto& readers = plan.operators[id].split.items;
  const auto& writers = plan.operators[producer].split.items;
  const bool same_shape = plan.graph.tensor(tensor).shape == plan.graph.tensor(plan.graph.op(producer).output).shape;
  for (const WorkItem& reader : readers) {
    const BoxRange box = required_input(plan, op, input, reader.output);
    for (const WorkItem& writer : writers)
      if (writer.core != reader.core && (!same_shape || overlap(box, writer.output))) return true;
  }
  return false;
}

SegmentKind kind_of(const Plan& plan, TensorId storage) {
  SegmentKind kind = SegmentKind::kHidden;
  for (std::size_t id = 0; id < plan.tensors.size(); ++id) {
    const Tensor& tensor = plan.graph.tensor(static_cast<TensorId>(id));
    if (storage_of(plan, static_cast<TensorId>(id)) != storage) continue;
    if (tensor.kind == TensorKind::kInput) return SegmentKind::kInput;
    if (tensor.kind == TensorKind::kConstant) return SegmentKind::kConstant;
    if (tensor.kind == TensorKind::kOutput) kind = SegmentKind::kOutput;
  }
  return kind;
}

void add_tensor_segments(Plan& plan) {
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id) {
    const TensorPlan& tensor = plan.tensors[id];
    if (tensor.alias_of >= 0) continue;
    const Tensor& meaning = plan.graph.tensor(id);
    const std::int64_t whole = meaning.shape.empty() ? 1 : meaning.shape[tensor.split_dimension];
    const Bytes slice = element_count(meaning.shape) / whole * bytes_of(tensor.type);
    for (std::size_t i = 0; i < tensor.pieces.size(); ++i)
      plan.program.segments.push_back({piece_name(meaning.name, tensor, i), kind_of(plan, id), tensor.type,
                                       tensor.pieces[i].address, tensor.pieces[i].range.size() * slice});
  }
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

void join_operators(Plan& plan) {
  std::vector<CoreLinker> cores(plan.hardware.cores());
  std::size_t since = 0;  // position in the order of the first operator after the last barrier of the chip
  int barrier = 0;
  bool first = true;
  for (std::size_t at = 0; at < plan.order.size(); ++at) {
    const OperatorId id = plan.order[at];
    if (plan.operators[id].split.items.empty()) continue;
    const bool chip = !first && order_between(plan, id, since) == Ordering::kChip;
    for (std::size_t core = 0; core < cores.size(); ++core) {
      auto& stream = plan.operators[id].streams[core];
      if (chip)
        cores[core].fence(barrier, plan.hardware.cores());
      else if (!stream.empty() && !cores[core].empty())
        cores[core].fence(kLocalBarrier + static_cast<int>(core), 1);
      cores[core].append(stream);
    }
    if (chip) ++barrier, since = at;
    first = false;
  }
  for (CoreLinker& core : cores) plan.program.cores.push_back(core.take());
}

}  // namespace

Ordering order_between(const Plan& plan, OperatorId id, std::size_t since) {
  const Operator& op = plan.graph.op(id);
  const auto inputs = all_inputs(op);
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    const auto producer = plan.graph.tensor(storage_of(plan, inputs[input])).producer;
    if (!producer) continue;
    const auto position = std::find(plan.order.begin(), plan.order.end(), *producer) - plan.order.begin();
    if (position >= static_cast<std::ptrdiff_t>(since) && crosses_cores(plan, id, *producer, input))
      return Ordering::kChip;
  }
  return Ordering::kLocal;
}

std::string piece_name(const std::string& tensor, const TensorPlan& placed, std::size_t piece) {
  return placed.pieces.size() == 1 ? tensor : fmt::format("{}#{}", tensor, piece);
}

void link(Plan& plan) {
  SIM_CHECK(plan.graph.operators().size() < 65535, "{} operators do not fit a program", plan.graph.operators().size());
  plan.program = {};
  plan.program.name = plan.graph.name;
  for (const Operator& op : plan.graph.operators()) plan.program.operators.push_back(op.name);
  add_tensor_segments(plan);
  join_operators(plan);
  add_fetch_segments(plan);
}

void verify_link(const Plan& plan) {
  const auto violations = find_violations(plan.program, plan.hardware, 1);
  SIM_CHECK(violations.empty(), "core {}, instruction {}: {}", violations[0].core, violations[0].instruction,
            violations[0].reason);
}

}  // namespace tilewright
