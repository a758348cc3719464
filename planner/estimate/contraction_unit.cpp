#include "planner/estimate/contraction_unit.h"

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/estimate/bandwidth.h"
#include "planner/estimate/part_time.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/abreast.h"
#include "planner/ir/pointwise.h"
#include "planner/ir/requirement.h"
#include "sim/isa/unit_time.h"

namespace tilewright {
namespace {

bool is_grouped(const GemmShape& shape) { return shape.conv && shape.conv->grouped; }

double results_of(const GemmShape& s) {
  return static_cast<double>(s.batches) * static_cast<double>(s.m) * static_cast<double>(s.n);
}

ArrayWork plain_product(DataType type, const GemmShape& s) {
  ArrayWork work{.m = s.m, .n = s.n, .k = s.k, .type = type};
  if (s.conv) work.kernel = s.conv->kernel();
  return work;
}

Tiling one_tile(const GemmShape& s) {
  Tiling t;
  t.partition_m = t.tile_m = s.m, t.partition_n = t.tile_n = s.n, t.partition_k = s.k;
  return t;
}

// One product of a convolution, several output columns at a time where the array is done with them earlier, whatever
// their filters cost.
ArrayWork shortest_product(const Plan& plan, DataType type, const GemmShape& s) {
  const MatmulSpec& spec = plan.hardware.core.matmul;
  const ArrayWork alone = plain_product(type, s);
  ArrayWork best = alone;
  if (!plan.options.abreast) return best;
  const Tiling whole = one_tile(s);
  for (std::int64_t count = 2; count * s.m <= std::max(spec.rows, spec.columns); ++count) {
    if (!may_be_abreast(whole, s, count)) continue;
    const ArrayWork work = abreast(alone, *s.conv, s.conv->columns, count);
    if (least_occupancy(spec, work) < least_occupancy(spec, best)) best = work;
  }
  return best;
}

// Output columns of a group that a tile of all of it has abreast, as tilings derive it.
std::int64_t columns_of_group(const Plan& plan, DataType type, const GemmShape& s) {
  const CoreSpec& core = plan.hardware.core;
  TilingLimits limits;
  limits.d_s = bytes_of(type);
  limits.mata_bw = limits.matb_bw = operand_share(plan.hardware);
  limits.b_s1 = core.buffer_a;
  if (plan.options.abreast) limits.array = AbreastArray{core.matmul, type};
  Tiling whole = one_tile(s);
  whole.a_stationary = shorter_with_a_held(core.matmul, plain_product(type, s));
  return best_abreast(whole, s, limits);
}

// Formulas compare splits of dense convolutions with one column at a time: counting several made networks from 4.5 %
// faster to 2.9 % slower, by plans without a column abreast.
ArrayWork one_product(const Plan& plan, DataType type, const GemmShape& s) {
  const ArrayWork alone = plain_product(type, s);
  const std::int64_t count = is_grouped(s) ? columns_of_group(plan, type, s) : 1;
  return count > 1 ? abreast(alone, *s.conv, s.conv->columns, count) : alone;
}

// Of all groups one behind the other, with the operand held that makes it shorter.
double time_on_array(const Plan& plan, const GemmShape& s, const ArrayWork& product) {
  return static_cast<double>(s.batches) * static_cast<double>(least_occupancy(plan.hardware.core.matmul, product));
}

}  // namespace

std::int64_t epilogue_passes(const Plan& plan, const Operator& op) {
  const VectorSpec& spec = plan.hardware.core.vector;
  std::int64_t passes = op.epilogues.empty() ? spec.simple_passes : 0;
  for (const Epilogue& epilogue : op.epilogues)
    passes += passes_of(spec, pointwise(epilogue.kind, epilogue.attributes).op);
  return passes;
}

std::int64_t vector_instructions(const GemmShape& shape) {
  return shape.conv ? shape.conv->images * shape.m * shape.conv->channels : shape.m;
}

double vector_time(const VectorSpec& spec, const GemmShape& shape) {
  const std::int64_t steps = std::min(shape.batches, constants().batch_groups);
  return lane_time(spec, results_of(shape) * static_cast<double>(shape.k), passes_of(spec, VectorOp::kMultiplyAdd)) +
         static_cast<double>(steps * vector_instructions(shape) * spec.issue_cycles);
}

double compute_time(const Plan& plan, DataType type, const GemmShape& shape) {
  const double array = time_on_array(plan, shape, one_product(plan, type, shape));
  return is_grouped(shape) ? std::min(array, vector_time(plan.hardware.core.vector, shape)) : array;
}

namespace {

bool has_groups(const Operator& op) { return op.kind == OpKind::kConv && op.attributes.groups > 1; }

// Of all multiply-adds of a part on one of the units, and what the vector unit does besides.
struct PartTimes {
  double array = 0, vector = 0, beside = 0;
};

// Of a part, or of a tile of it with `shape`, whose groups are each a `product` on the array.
PartTimes part_times(const Plan& plan, const Operator& op, const Contraction& part, const GemmShape& shape,
                     const ArrayWork& product) {
  const CoreSpec& core = plan.hardware.core;
  const DataType type = plan.tensors[part.tensor_a()].type;
  double beside = lane_time(core.vector, results_of(shape), static_cast<double>(epilogue_passes(plan, op)));
  if (part.packed())
    beside += lane_time(core.vector, static_cast<double>(shape.n) * static_cast<double>(shape.k),
                        expansion_passes(core.vector, type));
  if (op.attributes.channel_factors)
    beside += lane_time(core.vector, static_cast<double>(shape.m) * static_cast<double>(shape.k),
                        scaling_passes(core.vector, type));
  const double issue = static_cast<double>(shape.batches * core.matmul.issue_cycles);
  return {issue + time_on_array(plan, shape, product), vector_time(core.vector, shape), beside};
}

// Of each batch of a part.
ArrayWork one_product(const Plan& plan, const Contraction& part) {
  return one_product(plan, plan.tensors[part.tensor_a()].type, part.shape());
}

// The vector unit works beside the array while that computes another tile. The array has to gain as much as sharing
// does: it drains between tiles, and loads the filters of columns abreast by themselves.
bool vector_is_faster(const PartTimes& times) {
  const double alone = (times.vector + times.beside) * (1 - constants().shared_units_gain);
  return alone < std::max(times.array, times.beside);
}

// The product of one group of `shape` on the array, as the matmul unit walks its rows of output columns.
MatmulTime group_on_array(const MatmulSpec& spec, const GemmShape& shape, ArrayWork work) {
  work.images = shape.conv->images;
  work.a_stationary = shorter_with_a_held(spec, work);
  work.run = work.a_stationary ? shape.conv->columns * shape.m / work.m : work.m;
  return matmul_time(spec, work);
}

}  // namespace

bool computes_on_vector(const Plan& plan, const Operator& op) {
  if (!has_groups(op) && op.kind != OpKind::kMatMulNBits) return false;
  const auto whole = make_contraction(plan, op, whole_box(plan.graph.tensor(op.output).shape));
  return vector_is_faster(part_times(plan, op, *whole, whole->shape(), one_product(plan, *whole)));
}

TileUnit tile_unit(const Plan& plan, const Operator& op, const Contraction& part, const GemmShape& shape) {
  const DataType type = plan.tensors[part.tensor_a()].type;
  const ArrayWork product = shortest_product(plan, type, shape);
  if (has_groups(op) && vector_is_faster(part_times(plan, op, part, shape, product))) return {.on_vector = true};
  return {.abreast = product.m / shape.m};
}

UnitOptions unit_options(const Plan& plan, const Operator& op, const Contraction& part) {
  UnitOptions options{.on_vector = computes_on_vector(plan, op), .may_share = has_groups(op)};
  if (!options.may_share) return options;
  const ArrayWork product = one_product(plan, part);
  const PartTimes times = part_times(plan, op, part, part.shape(), product);
  const MatmulTime array = group_on_array(plan.hardware.core.matmul, part.shape(), product);
  const auto groups = static_cast<double>(part.shape().batches);
  options.array = static_cast<double>(array.busy);
  options.vector = times.vector / groups, options.beside = times.beside / groups;
  options.memory = moved_cycles(plan, part) / groups;
  options.tail = static_cast<double>(array.fill + array.drain) + options.beside;
  return options;
}

UnitShares unit_shares(const UnitOptions& options, std::int64_t groups, std::int64_t together) {
  UnitShares best{options.on_vector ? together : 0, together};
  if (!options.may_share) return best;
  const double tiles = static_cast<double>(groups) / static_cast<double>(together);
  const double beside = static_cast<double>(together) * options.beside;
  const auto tile_time = [&](std::int64_t on_vector) {
    const double array = static_cast<double>(together - on_vector) * options.array;
    const double vector = static_cast<double>(on_vector) * options.vector + beside;
    return std::max({array, vector, static_cast<double>(together) * options.memory});
  };
  double least = tiles * tile_time(best.on_vector) * (1 - constants().shared_units_gain);
  for (std::int64_t some = 1; some < together; ++some)
    if (const double time = tiles * tile_time(some) + options.tail; time < least) best.on_vector = some, least = time;
  return best;
}

// Tiles of fewer groups leave less to share.
bool array_computes(const Plan& plan, const Operator& op, const Contraction& part) {
  const std::int64_t groups = part.shape().batches;
  return unit_shares(unit_options(plan, op, part), groups, groups).vector() < 1;
}

}  // namespace tilewright
