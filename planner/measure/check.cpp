#include "planner/measure/check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "planner/emit/indices.h"
#include "planner/graph/broadcast.h"
#include "planner/ir/access.h"
#include "planner/ir/group.h"
#include "planner/ir/memory_sharing.h"
#include "planner/ir/requirement.h"
#include "planner/ir/storage_order.h"
#include "planner/reference/reference.h"
#include "planner/view/view.h"
#include "sim/base/error.h"
#include "sim/isa/chip_map.h"
#include "sim/isa/verify/verify.h"

namespace tilewright {
namespace {

// Calls visit(offset in the piece, index in the tensor, elements) for every run of a piece that is contiguous in both.
template <typename Visit>
void for_each_run(const PlacedView& view, std::size_t piece, Visit visit) {
  Shape held = view.held;
  const std::vector<std::int64_t> inside = view.strides_of(piece), own = row_major_strides(view.held);
  std::int64_t first = 0, run = 1;
  if (!held.empty()) {
    const auto cut = static_cast<std::size_t>(view.split_dimension);
    held[cut] = view.along[piece];
    first = view.pieces[piece].range.begin * own[cut];
  }
  while (!held.empty() && inside[held.size() - 1] == run && own[held.size() - 1] == run) {
    run *= held.back();
    held.pop_back();
  }
  std::vector<std::int64_t> at(held.size(), 0);
  do {
    visit(std::inner_product(at.begin(), at.end(), inside.begin(), std::int64_t{0}),
          std::inner_product(at.begin(), at.end(), own.begin(), first), run);
  } while (next_coordinate(held, at));
}

using SegmentBytes = std::map<std::string, const std::vector<std::byte>*>;

// Calls visit(index in the storage, elements) for every run of a tensor that is joined to others along a dimension.
template <typename Visit>
void for_each_joined_run(const Plan& plan, TensorId id, Visit visit) {
  const TensorPlan& own = plan.tensors[id];
  const Shape &shape = plan.graph.tensor(id).shape, &whole = plan.graph.tensor(own.alias_of).shape;
  std::int64_t outer = 1, inner = 1;
  for (std::int64_t d = 0; d < std::ssize(shape); ++d)
    if (d != own.joined_along) (d < own.joined_along ? outer : inner) *= shape[d];
  for (std::int64_t o = 0; o < outer; ++o)
    visit((o * whole[own.joined_along] + own.first) * inner, shape[own.joined_along] * inner);
}

// The tensor's own values out of those of the tensor whose memory it shares.
TensorValues part_of(const Plan& plan, TensorId id, TensorValues whole) {
  const TensorPlan& own = plan.tensors[id];
  if (!own.permuted.empty()) {
    TensorValues values;
    for (const std::int64_t position : StorageOrder(plan, id).positions()) values.push_back(whole[position]);
    return values;
  }
  if (own.joined_along < 0) return whole;
  TensorValues values;
  for_each_joined_run(plan, id, [&](std::int64_t from, std::int64_t count) {
    values.insert(values.end(), whole.begin() + from, whole.begin() + from + count);
  });
  return values;
}

SegmentBytes by_name(const std::vector<SegmentData>& segments) {
  SegmentBytes bytes;
  for (const SegmentData& segment : segments) bytes[segment.segment] = &segment.bytes;
  return bytes;
}

TensorValues stored_values(const Plan& plan, TensorId storage, const SegmentBytes& segments) {
  const Tensor& tensor = plan.graph.tensor(storage);
  const TensorPlan& placed = plan.tensors[storage];
  const int size = bytes_of(placed.type);
  TensorValues values(element_count(tensor.shape));
  const PlacedView view = placed_view(plan, storage);
  for (std::size_t piece = 0; piece < view.pieces.size(); ++piece) {
    const auto found = segments.find(piece_name(tensor.name, placed, piece));
    SIM_CHECK(found != segments.end(), "no bytes of '{}'", tensor.name);
    for_each_run(view, piece, [&](std::int64_t from, std::int64_t to, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i)
        values[to + i] = load_element(found->second->data() + (from + i) * size, placed.type);
    });
  }
  return values;
}

TensorValues values_of(const Plan& plan, TensorId id, const SegmentBytes& segments);

// A tensor that lies in its parts, out of their values.
TensorValues joined_values(const Plan& plan, TensorId whole, const SegmentBytes& segments) {
  const Shape& shape = plan.graph.tensor(whole).shape;
  const int along = plan.tensors[whole].parted_along;
  const std::int64_t inner = element_count(Shape(shape.begin() + along + 1, shape.end()));
  const std::int64_t outer = element_count(Shape(shape.begin(), shape.begin() + along));
  TensorValues values(element_count(shape));
  std::int64_t first = 0;
  for (const TensorId part : plan.tensors[whole].parts) {
    const TensorValues own = values_of(plan, part, segments);
    const std::int64_t size = plan.graph.tensor(part).shape[along];
    for (std::int64_t o = 0; o < outer; ++o)
      std::copy_n(own.begin() + o * size * inner, size * inner, values.begin() + (o * shape[along] + first) * inner);
    first += size;
  }
  return values;
}

TensorValues values_of(const Plan& plan, TensorId id, const SegmentBytes& segments) {
  const TensorPlan& own = plan.tensors[id];
  if (!own.parts.empty()) return joined_values(plan, id, segments);
  if (own.alias_of < 0) return stored_values(plan, id, segments);
  return part_of(plan, id, values_of(plan, own.alias_of, segments));
}

void append_data(const Plan& plan, TensorId id, const TensorValues& values, std::vector<SegmentData>& out) {
  const Tensor& tensor = plan.graph.tensor(id);
  const TensorPlan& placed = plan.tensors[id];
  const int size = bytes_of(placed.type);
  const PlacedView view = placed_view(plan, id);
  for (std::size_t piece = 0; piece < view.pieces.size(); ++piece) {
    std::vector<std::byte> bytes(piece_bytes(placed, tensor.shape, placed.pieces[piece]));
    for_each_run(view, piece, [&](std::int64_t to, std::int64_t from, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i)
        store_element(bytes.data() + (to + i) * size, placed.type, values[from + i]);
    });
    const std::string name = piece_name(tensor.name, placed, piece);
    for (std::size_t copy = 0; copy < placed.pieces[piece].copies.size(); ++copy)
      out.push_back({copy_name(name, copy), bytes});
    out.push_back({name, std::move(bytes)});
  }
}

// NaN in either is an error without bound, unless both agree, and so is an expected infinity. What is past the largest
// number of its type is stored as infinity: that is as far from what was expected as the largest number is.
double difference(double got, double expected, DataType type) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) return 0;
  if (std::isinf(got) && got == round_to(type, expected)) return 0;
  if (std::isinf(got)) got = round_finite(type, std::copysign(std::numeric_limits<double>::max(), got));
  const double error = std::abs(got - expected);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

// The values that operators read and wrote: from the run's memory, or, of tensors that share memory or stay on the
// cores, as computed here.
class ValueCheck {
 public:
  ValueCheck(const Plan& plan, SegmentBytes segments)
      : plan_(plan),
        segments_(std::move(segments)),
        computes_(tensors_sharing_memory(plan)),
        computed_(plan.tensors.size()),
        chain_(plan.tensors.size(), 0) {
    for (TensorId id = 0; id < static_cast<TensorId>(computes_.size()); ++id)
      if (stays_on_core(plan, id) || any_computed(plan.tensors[id].parts)) computes_[id] = true;
  }

  // Nothing for an operator whose result is computed here.
  std::optional<OperatorCheck> next(OperatorId id) {
    const Operator& op = plan_.graph.op(id);
    if (is_alias(op.kind)) {
      if (computes_[op.output]) computed_[op.output] = computed_[op.inputs[0]];
      chain_[op.output] = chain_[op.inputs[0]];
      return std::nullopt;
    }
    int chain = 1;
    for (const TensorId input : all_inputs(op)) chain = std::max(chain, chain_[input] + 1);
    TensorValues expected = expected_of(op);
    if (!computes_[op.output]) return compare(id, expected, chain);
    chain_[op.output] = chain;
    computed_[op.output] = stored(expected, plan_.tensors[op.output].type);
    return std::nullopt;
  }

 private:
  bool any_computed(const std::vector<TensorId>& tensors) const {
    return std::any_of(tensors.begin(), tensors.end(), [&](TensorId id) { return computes_[id]; });
  }

  TensorValues values(TensorId id) const { return computes_[id] ? computed_[id] : values_of(plan_, id, segments_); }

  TensorValues expected_of(const Operator& op) const {
    std::vector<TensorValues> inputs, operands;
    for (const TensorId input : op.inputs) inputs.push_back(values(input));
    for (const Epilogue& epilogue : op.epilogues)
      if (epilogue.operand) operands.push_back(values(*epilogue.operand));
    std::vector<const TensorValues*> input_views, operand_views;
    for (const TensorValues& values : inputs) input_views.push_back(&values);
    for (std::size_t i = 0, at = 0; i < op.epilogues.size(); ++i)
      operand_views.push_back(op.epilogues[i].operand ? &operands[at++] : nullptr);
    return compute_reference(plan_.graph, op, input_views, operand_views);
  }

  // Of the operator without epilogues, on what `of` makes of the values of its inputs.
  template <typename Of>
  double largest_result(const Operator& op, Of of) const {
    std::vector<TensorValues> inputs;
    for (const TensorId input : op.inputs) {
      inputs.push_back(values(input));
      for (double& value : inputs.back()) value = std::isfinite(value) ? of(value) : 0;
    }
    std::vector<const TensorValues*> views;
    for (const TensorValues& input : inputs) views.push_back(&input);
    Operator alone = op;
    alone.epilogues.clear();
    const TensorValues results = compute_reference(plan_.graph, alone, views, {});
    return *std::max_element(results.begin(), results.end());
  }

  // Of what a sum adds up: where large values cancel, their rounding is not that of the little that is left.
  double summed_scale(const Operator& op) const {
    if (op.kind != OpKind::kReduceMean && op.kind != OpKind::kReduceSum) return 0;
    return largest_result(op, [](double value) { return std::abs(value); });
  }

  // How large results of a product are that is no accident: root of the sum of its squared terms, the largest one.
  // Where the terms cancel, their rounding is not that of the little that is left.
  double scale_of_terms(const Operator& op) const {
    if (!is_contraction(op.kind)) return 0;
    if (op.kind == OpKind::kMatMulNBits) return scale_of_packed_terms(op);
    return std::sqrt(largest_result(op, [](double value) { return value * value; }));
  }

  // The same of weights that are expanded: squares are those of what they stand for.
  double scale_of_packed_terms(const Operator& op) const {
    TensorValues a = values(op.inputs[0]);
    const Shape &shape = plan_.graph.tensor(op.inputs[0]).shape, &bytes = plan_.graph.tensor(op.inputs[1]).shape;
    TensorValues b =
        expanded_weights(op.attributes, shape.back(), bytes[1], values(op.inputs[1]), values(op.inputs[2]));
    for (TensorValues* side : {&a, &b})
      for (double& value : *side) value = std::isfinite(value) ? value * value : 0;
    Graph product;
    const TensorId left = product.add_tensor({.name = "a", .shape = shape});
    const TensorId right = product.add_tensor({.name = "b", .shape = {shape.back(), bytes[1]}});
    const Operator squares{.name = op.name, .kind = OpKind::kMatMul, .inputs = {left, right}};
    const TensorValues results = compute_reference(product, squares, {&a, &b}, {});
    return std::sqrt(*std::max_element(results.begin(), results.end()));
  }

  // As they come back from memory.
  static TensorValues stored(const TensorValues& values, DataType type) {
    TensorValues rounded;
    std::array<std::byte, 8> bytes{};
    for (const double value : values) {
      store_element(bytes.data(), type, value);
      rounded.push_back(load_element(bytes.data(), type));
    }
    return rounded;
  }

  // Each of the `chain` operators in a row that no bytes of the run stand behind adds its rounding.
  OperatorCheck compare(OperatorId id, const TensorValues& expected, int chain) const {
    const TensorId output = plan_.graph.op(id).output;
    const DataType type = plan_.tensors[output].type;
    const TensorValues got = values_of(plan_, output, segments_);
    OperatorCheck check{.op = id, .tolerance = chain * tolerance_of(type)};
    check.scale = summed_scale(plan_.graph.op(id));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (std::isfinite(expected[i])) check.scale = std::max(check.scale, std::abs(expected[i]));
      check.worst_error = std::max(check.worst_error, difference(got[i], expected[i], type));
    }
    // Looked at where something is wrong only: it costs as much as the reference.
    if (check.worst_error > check.tolerance * check.scale)
      check.scale = std::max(check.scale, scale_of_terms(plan_.graph.op(id)));
    if (check.scale > 0) check.worst_error /= check.scale;
    return check;
  }

  const Plan& plan_;
  SegmentBytes segments_;
  std::vector<bool> computes_;          // by TensorId
  std::vector<TensorValues> computed_;  // by TensorId
  std::vector<int> chain_;              // by TensorId: operators in a row whose results were computed; 0: none
};

double excess(const OperatorCheck& check) {
  return check.tolerance > 0 ? check.worst_error / check.tolerance : check.worst_error * 1e9;
}

}  // namespace

bool CheckReport::passed() const {
  return std::all_of(operators.begin(), operators.end(), [](const OperatorCheck& check) { return check.passed(); });
}

const OperatorCheck* CheckReport::worst() const {
  const auto it =
      std::max_element(operators.begin(), operators.end(),
                       [](const OperatorCheck& a, const OperatorCheck& b) { return excess(a) < excess(b); });
  return it == operators.end() ? nullptr : &*it;
}

double tolerance_of(DataType type) {
  switch (type) {
    case DataType::kFp32:
      return 1e-5;
    case DataType::kFp16:
      return 2e-3;
    case DataType::kBf16:
      return 1.6e-2;
    case DataType::kFp8E4m3:
      return 0.13;
    case DataType::kFp8E5m2:
      return 0.26;
    case DataType::kInt8:
    case DataType::kInt32:
      return 0;
  }
  return 0;
}

namespace {

TensorValues first_values(const Plan& plan, TensorId id, std::uint64_t seed) {
  if (plan.graph.tensor(id).is_index) return planned_indices(plan.graph, id, plan.options.type);
  return initial_values(plan.graph, id, plan.tensors[id].type, seed);
}

// Of a result that begins with the network's cache: that, and zeros where it is appended to.
TensorValues cached_values(const Plan& plan, TensorId cache, std::uint64_t seed) {
  TensorValues whole(element_count(plan.graph.tensor(plan.tensors[cache].alias_of).shape));
  const TensorValues values = first_values(plan, cache, seed);
  auto from = values.begin();
  for_each_joined_run(plan, cache, [&](std::int64_t to, std::int64_t count) {
    std::copy(from, from + count, whole.begin() + to);
    from += count;
  });
  return whole;
}

}  // namespace

std::vector<SegmentData> initial_data(const Plan& plan, std::uint64_t seed) {
  std::vector<SegmentData> data;
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id) {
    const TensorKind kind = plan.graph.tensor(id).kind;
    if (kind != TensorKind::kInput && kind != TensorKind::kConstant) continue;
    const TensorId storage = plan.tensors[id].alias_of;
    if (storage < 0)
      append_data(plan, id, first_values(plan, id, seed), data);
    else if (plan.graph.tensor(id).is_cache)
      append_data(plan, storage, cached_values(plan, id, seed), data);
  }
  return data;
}

std::vector<std::string> tensor_segments(const Plan& plan) {
  std::vector<std::string> names;
  const auto in_turn = tensors_sharing_memory(plan);
  for (std::size_t id = 0; id < plan.tensors.size(); ++id)
    for (std::size_t i = 0; i < plan.tensors[id].pieces.size() && !in_turn[id]; ++i)
      if (plan.tensors[id].pieces[i].in_dram())
        names.push_back(piece_name(plan.graph.tensor(static_cast<TensorId>(id)).name, plan.tensors[id], i));
  return names;
}

std::vector<ClusterBytes> tensors_in_clusters(const Plan& plan) {
  std::vector<ClusterBytes> places;
  const ChipMap map(plan.hardware);
  const auto in_turn = tensors_sharing_memory(plan);
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id) {
    const TensorPlan& placed = plan.tensors[id];
    for (std::size_t i = 0; i < placed.pieces.size() && !in_turn[id]; ++i) {
      const PlacedPiece& piece = placed.pieces[i];
      if (piece.in_dram()) continue;
      const Address offset = piece.address - map.base_of(Space::kCluster, piece.cluster);
      places.push_back({piece_name(plan.graph.tensor(id).name, placed, i), piece.cluster, offset,
                        piece_bytes(placed, plan.graph.tensor(id).shape, piece)});
    }
  }
  return places;
}

TensorValues tensor_values(const Plan& plan, TensorId tensor, const std::vector<SegmentData>& segments) {
  return values_of(plan, tensor, by_name(segments));
}

CheckReport compare_values(const Plan& plan, const std::vector<SegmentData>& segments) {
  ValueCheck values(plan, by_name(segments));
  CheckReport report;
  for (const OperatorId id : plan.order)
    if (const auto check = values.next(id))
      report.operators.push_back(*check);
    else if (!is_alias(plan.graph.op(id).kind))
      ++report.by_readers;
  return report;
}

RunOptions value_run(const Plan& plan, std::uint64_t seed) {
  expect_written(plan.program, plan.hardware);
  return {.values = true,
          .initial = initial_data(plan, seed),
          .keep = tensor_segments(plan),
          .keep_of_clusters = tensors_in_clusters(plan)};
}

}  // namespace tilewright
