#include "planner/emit/chain/chain_lowering.h"

#include <algorithm>
#include <map>
#include <optional>

#include "planner/constants/constants.h"
#include "planner/emit/area_ring.h"
#include "planner/emit/caching.h"
#include "planner/emit/chain/chain_areas.h"
#include "planner/emit/chain/chain_softmax.h"
#include "planner/emit/fill.h"
#include "planner/emit/pipeline.h"
#include "planner/emit/region_moves.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/access.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// All cores of the group read all of its weights.
WalkTurn turn_of(const Plan& plan, OperatorId last, int core) {
  std::vector<int> cores;
  for (const WorkItem& item : plan.operators[last].split.items) cores.push_back(item.core);
  return walk_turn(plan.hardware, cores, core);
}

// One product of the chain: its areas and what is loaded into them.
class ChainStepLowering {
 public:
  ChainStepLowering(const Chain& chain, std::size_t step, std::size_t item, const StepAreas& areas, Pipeline& pipeline)
      : plan_(chain.plan()),
        at_(chain.steps()[step]),
        op_(plan_.graph.op(at_.product)),
        pipeline_(pipeline),
        loaded_a_(pipeline, areas.a, areas.a_bytes, 0, copies()),
        made_a_(pipeline, areas.a, areas.a_bytes, copies()),
        loaded_b_(pipeline, areas.b, areas.b_bytes, 0, areas.copies_of_b),
        results_(pipeline, areas.c, areas.c_bytes, areas.copies_of_c),
        maxima_(pipeline, areas.maxima, areas.maxima_bytes, copies()),
        sums_(pipeline, areas.sums, areas.sums_bytes, copies()),
        finished_rows_(areas.finished_rows),
        cached_a_(step == 0 && worth_caching(plan_, at_.product, item, 0)),
        cached_b_(worth_caching(plan_, at_.product, item, 1)),
        epilogues_(plan_, at_.product, item, *at_.part, at_.limits, pipeline, areas.epilogue, cached_b_) {
    if (areas.one) one_ = SlotRing::Place{pipeline.add_slot(), *areas.one};
    if (areas.factor_on_rows) row_factor_ = chain.factor();
  }

  SlotRing::Place next_a() { return made_a_.next(); }
  SlotRing::Place next_result() { return results_.next(); }
  RunningSoftmax::Places next_statistics() { return {maxima_.next(), sums_.next(), one_}; }
  bool multiplies_rows() const { return row_factor_.has_value(); }
  bool has_softmax() const { return at_.softmax >= 0; }
  void set_softmax() { pipeline_.set_operator(program_operator(at_.softmax)); }
  // What the array needs for sums of rows.
  void prepare_sums() {
    if (!one_) return;
    pipeline_.begin_step();
    set_softmax();
    fill(pipeline_, {Space::kBufferB, one_->address, {}, type()}, {1, 1, 1, 1, 1}, 1, {one_->slot});
  }
  std::int64_t finished_rows() const { return finished_rows_; }
  std::int64_t width() const { return at_.part->shape().n; }
  TensorId result() const { return op_.output; }
  DataType type() const { return plan_.tensors[op_.output].type; }
  DataType accumulator() const { return accumulator_type(plan_.tensors[at_.part->tensor_a()].type); }

  struct Block {
    Range batch, rows, columns, depth;  // of the result, and of what is summed over
    bool accumulate = false;
  };

  SlotRing::Place load_rows(const Block& block) {
    begin();
    const OperandBox a = at_.part->a(block.batch, block.rows, block.depth);
    const auto found = loaded_a_.find({block.batch.begin, block.rows.begin});
    if (found.fresh) load(a.region, cached_a_, {Space::kBufferA, found.address, {}}, found.slot);
    if (found.fresh && row_factor_) multiply_rows({found.slot, found.address}, block);
    return {found.slot, found.address};
  }

  void multiply(const Block& block, const SlotRing::Place& a_place, const SlotRing::Place& c) {
    begin();
    const OperandBox a = at_.part->a(block.batch, block.rows, block.depth);
    const OperandBox b = at_.part->b(block.batch, {.column = block.columns}, block.depth);
    const auto at_b = loaded_b_.find(key_of_b(block, b.region.box));
    if (at_b.fresh) load(b.region, cached_b_, {Space::kBufferB, at_b.address, {}}, at_b.slot);
    Matmul matmul = at_.part->matmul(a, a_place.address, b, at_b.address, b.columns, 0, c.address);
    matmul.accumulate = block.accumulate;
    matmul.a_stationary = shorter_with_a_held(
        plan_.hardware.core.matmul,
        {.m = block.rows.size(), .n = block.columns.size(), .k = block.depth.size(), .type = matmul.type});
    pipeline_.emit(Unit::kMatmul, matmul, {a_place.slot, at_b.slot}, {c.slot});
  }

  void finish(const Block& block, const SlotRing::Place& c, const EpilogueLowering::Result& result,
              const std::optional<EpilogueLowering::HeldOperand>& held) {
    begin();
    const std::size_t done = row_factor_ ? 1 : 0;
    epilogues_.apply({block.batch, block.rows, {.column = block.columns}, held, done}, c, result);
  }

  // As the operator under way.
  void store(const Block& block, const SlotRing::Place& c) {
    TensorRegion region;
    region.tensor = has_softmax() ? plan_.graph.op(at_.softmax).output : op_.output;
    region.box = at_.part->c(block.batch, block.rows, {.column = block.columns});
    const auto strides = packed_strides(region.extents(), bytes_of(type()));
    store_region(pipeline_, plan_, region, {Space::kAccumulator, c.address, strides}, c.slot);
  }

 private:
  // Of what is loaded for the block: several batches may multiply by one matrix.
  static AreaRing::Key key_of_b(const Block& block, const BoxRange& loaded) {
    AreaRing::Key key{block.columns.begin, block.depth.begin};
    for (std::size_t d = 0; d + 2 < loaded.size(); ++d) key.push_back(loaded[d].begin);
    return key;
  }

  // By the factor that the result would be multiplied with.
  void multiply_rows(const SlotRing::Place& place, const Block& block) {
    Vector vector{.op = VectorOp::kMul, .b_is_immediate = true, .immediate = *row_factor_};
    const DataType type = plan_.tensors[at_.part->tensor_a()].type;
    vector.shape.back() = block.rows.size() * block.depth.size();
    vector.a = vector.target = {Space::kBufferA, place.address, {0, 0, 0, 0, bytes_of(type)}, type};
    pipeline_.emit(Unit::kVector, vector, {place.slot}, {place.slot});
  }

  static int copies() { return static_cast<int>(constants().buffering); }
  void begin() { pipeline_.set_operator(program_operator(at_.product)); }

  void load(TensorRegion region, bool cached, ChipBox chip, Slot slot) {
    region.cached = cached;
    chip.stride = packed_strides(region.extents(), static_cast<int>(at_.limits.d_s));
    load_region(pipeline_, plan_, region, chip, {slot});
  }

  const Plan& plan_;
  const ChainStep& at_;
  const Operator& op_;
  Pipeline& pipeline_;
  AreaRing loaded_a_;
  SlotRing made_a_;
  AreaRing loaded_b_;
  SlotRing results_, maxima_, sums_;
  std::optional<SlotRing::Place> one_;
  std::optional<double> row_factor_;
  const std::int64_t finished_rows_;
  const bool cached_a_, cached_b_;
  EpilogueLowering epilogues_;
};

class ChainLowering {
 public:
  ChainLowering(const Plan& plan, const OperatorGroup& group, std::size_t item, const ChainBlocks& blocks)
      : plan_(plan),
        chain_(plan, group, plan.operators[group.members.back()].split.items.at(item).output),
        pipeline_(pipeline_of(plan, group.members.back(), item)),
        visits_(chain_.visits(blocks, turn_of(plan, group.members.back(), pipeline_.core()))) {
    const auto areas = chain_areas(chain_, blocks);
    SIM_CHECK(areas, "blocks of '{}' do not fit", plan.graph.op(group.members.back()).name);
    steps_.reserve(areas->size());
    for (std::size_t step = 0; step < areas->size(); ++step)
      steps_.emplace_back(chain_, step, item, (*areas)[step], pipeline_);
  }

  std::vector<Instruction> run() {
    const std::size_t last = steps_.size() - 1;
    work_.resize(visits_.size());
    for (ChainStepLowering& step : steps_) step.prepare_sums();
    for (std::size_t time = 0; time < visits_.size() + visits_behind(last); ++time) {
      for (std::size_t step = 0; step <= last; ++step)
        if (const auto visit = at(time, step)) multiply(step, *visit);
      if (const auto visit = at(time + 1, 0)) prepare_rows(*visit);
      for (std::size_t step = 0; step <= last; ++step)
        if (const auto visit = at(time, step)) finish(step, *visit);
    }
    return pipeline_.finish();
  }

 private:
  // What a visit leaves for the next step. `beside`: the result of the first of two products side by side.
  struct Work {
    SlotRing::Place operand, beside, result;
  };

  std::size_t visits_behind(std::size_t step) const { return chain_.in_head(step) ? 0 : step - chain_.head(); }
  std::optional<std::size_t> at(std::size_t time, std::size_t step) const {
    const std::size_t behind = visits_behind(step);
    if (time < behind || time - behind >= visits_.size()) return std::nullopt;
    return time - behind;
  }
  bool is_last(std::size_t step) const { return step + 1 == steps_.size(); }
  // Whether the next step computes beside it, and not from its result.
  bool has_neighbour(std::size_t step) const { return step < chain_.head(); }

  ChainStepLowering::Block block_of(std::size_t step, const ChainVisit& visit) const {
    ChainStepLowering::Block block{visit.batch, visit.rows, {0, steps_[step].width()}, {0, depth(step)}};
    if (chain_.in_head(step)) block.columns = visit.columns;
    if (chain_.sums_columns(step)) block.depth = visit.columns;
    block.accumulate = chain_.sums_columns(step) && !visit.first;
    return block;
  }
  std::int64_t depth(std::size_t step) const { return chain_.steps()[step].part->shape().k; }

  // Rows that the vector unit multiplies are ready before it turns to the scores of the block before them.
  void prepare_rows(std::size_t number) {
    if (!steps_[0].multiplies_rows()) return;
    pipeline_.begin_step();
    steps_[0].load_rows(block_of(0, visits_[number]));
  }

  void multiply(std::size_t step, std::size_t number) {
    const ChainVisit& visit = visits_[number];
    const ChainStepLowering::Block block = block_of(step, visit);
    Work& work = work_[number];
    pipeline_.begin_step();
    const SlotRing::Place a = chain_.in_head(step) ? steps_[0].load_rows(block) : work.operand;
    SlotRing::Place& result = has_neighbour(step) ? work.beside : work.result;
    result = block.accumulate ? work_[number - 1].result : steps_[step].next_result();
    ChainStepLowering& head = steps_[chain_.head()];
    if (block.accumulate && head.has_softmax()) {
      head.set_softmax();
      softmax(visit, chain_.head()).rescale(result_view(step, block, result), result.slot, block.columns.size());
    }
    add_up_rows(step, visit);
    steps_[step].multiply(block, a, result);
  }

  // Of the softmax in front of the product: both wait for what it has computed.
  void add_up_rows(std::size_t step, const ChainVisit& visit) {
    if (chain_.in_head(step) || !steps_[step - 1].has_softmax()) return;
    steps_[step - 1].set_softmax();
    softmax(visit, step - 1).add_up();
  }

  void finish(std::size_t step, std::size_t number) {
    const ChainVisit& visit = visits_[number];
    const ChainStepLowering::Block block = block_of(step, visit);
    Work& work = work_[number];
    if (has_neighbour(step)) {
      steps_[step].finish(block, work.beside, {Space::kAccumulator, work.beside, steps_[step].type()}, {});
      return;
    }
    if (is_last(step)) {
      if (visit.last) finish_rows(step, block, visit, work);
      return;
    }
    work.operand = steps_[step + 1].next_a();
    hand_on(step, block, visit, work);
  }

  // What was computed beside the step.
  std::optional<EpilogueLowering::HeldOperand> held(std::size_t step, const Work& work) const {
    if (step == 0 || step != chain_.head()) return std::nullopt;
    return EpilogueLowering::HeldOperand{steps_[step - 1].result(), work.beside};
  }

  // From the accumulate buffer to where the next product reads it.
  void hand_on(std::size_t step, const ChainStepLowering::Block& block, const ChainVisit& visit, const Work& work) {
    ChainStepLowering& from = steps_[step];
    divide(step, block, visit, work.result);
    if (!from.has_softmax()) {
      from.finish(block, work.result, {Space::kBufferA, work.operand, from.type()}, held(step, work));
      return;
    }
    from.finish(block, work.result, {Space::kAccumulator, work.result, from.accumulator()}, held(step, work));
    from.set_softmax();
    if (visit.first) start_softmax(step, visit, visit.last);
    const ArrayView target =
        packed_view(Space::kBufferA, work.operand.address, {block.rows.size(), block.columns.size()}, from.type());
    softmax(visit, step)
        .add(
            {result_view(step, block, work.result), target, work.result.slot, work.operand.slot, block.columns.size()});
  }

  void finish_rows(std::size_t step, const ChainStepLowering::Block& block, const ChainVisit& visit, const Work& work) {
    ChainStepLowering& last = steps_[step];
    divide(step, block, visit, work.result);
    for (const Range& rows : cut_range(block.rows, last.finished_rows())) {
      if (rows.begin > block.rows.begin) pipeline_.begin_step();
      ChainStepLowering::Block strip = block;
      strip.rows = rows;
      const SlotRing::Place place = rows_of(step, work.result, rows.begin - block.rows.begin);
      last.finish(strip, place, {Space::kAccumulator, place, last.has_softmax() ? last.accumulator() : last.type()},
                  held(step, work));
      if (!last.has_softmax()) last.store(strip, place);
    }
    if (!last.has_softmax()) return;
    take_shares(step, block, visit, work.result);
    last.store(block, work.result);
  }

  // Where sums of a block lie from row `first` on.
  SlotRing::Place rows_of(std::size_t step, SlotRing::Place block, std::int64_t first) const {
    block.address += first * steps_[step].width() * bytes_of(steps_[step].accumulator());
    return block;
  }

  // A softmax of the group's last result, whose rows are there as a whole.
  void take_shares(std::size_t step, const ChainStepLowering::Block& block, const ChainVisit& visit,
                   const SlotRing::Place& result) {
    const ArrayView sums = result_view(step, block, result);
    const ArrayView shares = packed_view(Space::kAccumulator, result.address, {block.rows.size(), block.columns.size()},
                                         steps_[step].type());
    steps_[step].set_softmax();
    start_softmax(step, visit, true);
    softmax(visit, step).add({sums, sums, result.slot, result.slot, block.columns.size()});
    softmax(visit, step).divide(sums, shares, result.slot, block.columns.size());
  }

  // What a softmax before the product has left to do.
  void divide(std::size_t step, const ChainStepLowering::Block& block, const ChainVisit& visit,
              const SlotRing::Place& result) {
    if (step == 0 || !steps_[step - 1].has_softmax()) return;
    steps_[step - 1].set_softmax();
    const ArrayView sums = result_view(step, block, result);
    softmax(visit, step - 1).divide(sums, sums, result.slot, block.columns.size());
  }

  ArrayView result_view(std::size_t step, const ChainStepLowering::Block& block, const SlotRing::Place& place) const {
    return packed_view(Space::kAccumulator, place.address, {block.rows.size(), block.columns.size()},
                       steps_[step].accumulator());
  }

  using RowBlock = std::pair<std::int64_t, std::int64_t>;  // batch, row
  static RowBlock row_block(const ChainVisit& visit) { return {visit.batch.begin, visit.rows.begin}; }
  void start_softmax(std::size_t step, const ChainVisit& visit, bool whole_rows) {
    softmax_.try_emplace({step, row_block(visit)}, pipeline_, plan_.hardware, steps_[step].next_statistics(),
                         visit.rows.size(), whole_rows);
  }
  RunningSoftmax& softmax(const ChainVisit& visit, std::size_t step) { return softmax_.at({step, row_block(visit)}); }

  const Plan& plan_;
  const Chain chain_;
  Pipeline pipeline_;
  const std::vector<ChainVisit> visits_;
  std::vector<ChainStepLowering> steps_;
  std::vector<Work> work_;  // by visit
  std::map<std::pair<std::size_t, RowBlock>, RunningSoftmax> softmax_;
};

}  // namespace

std::vector<Instruction> lower_chain(const Plan& plan, const OperatorGroup& group, std::size_t item,
                                     const ChainBlocks& blocks) {
  return ChainLowering(plan, group, item, blocks).run();
}

}  // namespace tilewright
