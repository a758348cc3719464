#include "planner/search/tiling/hand_on_candidates.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "planner/constants/constants.h"
#include "planner/estimate/bandwidth.h"
#include "planner/estimate/dram_path.h"
#include "planner/estimate/idle_latency.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/directions.h"
#include "planner/passes/pass.h"
#include "planner/passes/tile/fillings.h"
#include "planner/search/tiling/chain_places.h"

namespace tilewright {
namespace {

struct HandOnCandidate {
  OperatorChoice choice;
  double cycles = 0;
};

// Equal parts of one product on rows and columns of cores.
class CoreGrid {
 public:
  CoreGrid(const Plan& plan, OperatorId op, std::int64_t rows, std::int64_t columns, const ChainPlaces& places)
      : op_(op),
        rows_(rows),
        columns_(columns),
        split_(places.placed(split_of({.parts_m = rows, .parts_n = columns}, plan, plan.graph.op(op)), rows, columns,
                             moved(plan, op, rows, columns))),
        part_(make_contraction(plan, plan.graph.op(op), split_.items.front())),
        input_(prediction_input(plan, plan.graph.op(op), *part_, split_.items.size())),
        path_(plan.hardware, static_cast<int>(split_.items.size())) {}

  std::vector<HandOnCandidate> candidates(const Tiling& like) const {
    std::vector<HandOnCandidate> found;
    for (const std::int64_t tile_m : tile_rows())
      for (const Tiling& tiling : in_steps(largest(like, tile_m)))
        found.push_back({{op_, split_, {split_.items.size(), tiling}}, cycles_of(tiling)});
    return found;
  }

 private:
  // Rows of A and columns of B of a part, of equal length.
  static ChainPlaces::Moved moved(const Plan& plan, OperatorId op, std::int64_t rows, std::int64_t columns) {
    const Shape& out = plan.graph.tensor(plan.graph.op(op).output).shape;
    const Directions at = directions_of(plan, plan.graph.op(op));
    return {static_cast<double>(out[at.m]) / static_cast<double>(rows),
            static_cast<double>(out[at.n]) / static_cast<double>(columns)};
  }

  // Results of low tiles leave while the next are computed; an array that holds weights would take them in anew for
  // each.
  std::vector<std::int64_t> tile_rows() const {
    const std::int64_t low = input_.limits.block_size_m, whole = part_->shape().m;
    if (input_.hardware.core.matmul.dataflow == Dataflow::kOutputStationary || low >= whole) return {low};
    return {low, whole};
  }

  // As much of the part as the accumulate buffer holds.
  Tiling largest(const Tiling& like, std::int64_t tile_m) const {
    const GemmShape& shape = part_->shape();
    const TilingLimits limits = without_spill(input_.limits);
    Tiling t = like;
    t.partition_m = shape.m, t.partition_n = shape.n, t.partition_k = 1, t.need_splitk = true;
    t.rows_apart = false;
    const auto cut_tiles = [&] { t.tile_m = std::min(tile_m, t.partition_m), t.tile_n = t.partition_n; };
    for (cut_tiles(); accumulator_bytes(t, shape, limits) > limits.acc_buffer_max; cut_tiles())
      if (!halve_longer(t)) break;
    return t;
  }
  bool halve_longer(Tiling& t) const {
    const bool m = t.partition_m > t.partition_n;
    std::int64_t& longer = m ? t.partition_m : t.partition_n;
    return std::exchange(longer, half(longer, m ? input_.limits.block_size_m : input_.limits.block_size_n)) > longer;
  }

  // The sum in two steps, three, four, six ... while runs of a row are as long as a request; what the buffers hold.
  std::vector<Tiling> in_steps(Tiling t) const {
    const GemmShape& shape = part_->shape();
    const Bytes request = input_.hardware.core.dma.request_bytes;
    std::vector<Tiling> found;
    t.hand_on_a = columns_ > 1, t.hand_on_b = rows_ > 1;
    t.utilisation = 0, t.reason = "operands are handed on, predicted to be fastest by the queue model";
    for (std::int64_t steps = 2; steps <= shape.k;
         steps = std::has_single_bit<std::uint64_t>(steps) ? steps * 3 / 2 : steps / 3 * 4) {
      const auto k = round_up<std::int64_t>(ceil_div(shape.k, steps), input_.hardware.core.matmul.rows);
      if (k * input_.limits.d_s < request || std::exchange(t.partition_k, k) == k) break;
      if (k >= shape.k) continue;
      derive(t, shape, input_.limits);
      if (check_tiling(t, shape, input_.limits).empty()) found.push_back(t);
    }
    return found;
  }

  // Behind the first step, which all cores read, the longest of arrays, memory and ports.
  double cycles_of(const Tiling& t) const {
    const GemmShape& s = part_->shape();
    const std::int64_t steps = ceil_div(s.k, t.partition_k);
    const double a = bytes(s.m * s.k) * t.load_a, b = bytes(s.n * s.k) * t.load_b;
    const double first =
        a_from_memory(bytes(t.partition_m * t.partition_k), t) + b_from_memory(bytes(t.partition_n * t.partition_k), t);
    const double memory = a_from_memory(a * share_from_memory(columns_, steps), t) +
                          b_from_memory(b * share_from_memory(rows_, steps), t) + results_to_memory();
    const double waits = static_cast<double>(steps) * std::max(t.load_a, t.load_b) * idle_latency(input_.hardware);
    return first + std::max({array_cycles(t), memory, through_ports(a + b) + waits});
  }

  double bytes(std::int64_t elements) const { return static_cast<double>(elements * input_.limits.d_s); }
  // Of what a core of a chain uses: its share of what is read once for all, and the first step of each.
  static double share_from_memory(std::int64_t chain, std::int64_t steps) {
    const auto parts = static_cast<double>(chain);
    return (1 + (parts - 1) / static_cast<double>(steps)) / parts;
  }
  // The cores of several chains are in different steps, and so in different channels.
  double a_from_memory(double bytes, const Tiling& t) const {
    return from_memory(bytes, {t.partition_k * input_.limits.d_s, input_.pitch_of_a * input_.limits.d_s});
  }
  // Constants lie as they are loaded.
  double b_from_memory(double bytes, const Tiling& t) const {
    const Bytes row = t.partition_n * input_.limits.d_s;
    return from_memory(bytes, {row, input_.pitch_of_b > 0 ? input_.pitch_of_b * input_.limits.d_s : row});
  }
  double from_memory(double bytes, DramRun run) const {
    return path_.loaded(bytes, 1, run, share_of_visited(input_.hardware.dram, run.bytes, run.pitch)).dram;
  }
  double results_to_memory() const {
    const GemmShape& s = part_->shape();
    const Bytes row = s.n * input_.limits.d_s;
    return path_.stored(bytes(s.batches * s.m * s.n), 1, {row, row * columns_}, 1).dram;
  }
  // Of the cores of a cluster, with the packets' headers.
  double through_ports(double bytes) const {
    const NetworkSpec& network = input_.hardware.network;
    const Bytes request = input_.hardware.core.dma.request_bytes, flits = network.flits_for(request);
    const double sent = bytes * static_cast<double>(flits * network.flit_bytes) / static_cast<double>(request);
    return sent * input_.hardware.cores_per_cluster / cluster_peak(input_.hardware);
  }
  double array_cycles(const Tiling& t) const {
    const GemmShape& s = part_->shape();
    const std::int64_t tiles = ceil_div(s.m, t.tile_m) * ceil_div(s.n, t.tile_n) * ceil_div(s.k, t.partition_k);
    const ArrayWork work{.m = t.tile_m, .n = t.tile_n, .k = t.partition_k, .type = input_.type};
    return static_cast<double>(s.batches * tiles * least_occupancy(input_.hardware.core.matmul, work));
  }

  const OperatorId op_;
  const std::int64_t rows_, columns_;
  const Split split_;
  const std::unique_ptr<Contraction> part_;
  const PredictionInput input_;
  const DramPath path_;
};

// Every grid of equal parts on more than half of `cores`.
std::vector<HandOnCandidate> of_all_grids(const Plan& plan, OperatorId id, const Tiling& like, int cores) {
  const Shape& out = plan.graph.tensor(plan.graph.op(id).output).shape;
  const Directions at = directions_of(plan, plan.graph.op(id));
  const ChainPlaces places(plan.hardware, cores);
  std::vector<HandOnCandidate> found;
  for (std::int64_t rows = 1; rows <= cores; ++rows)
    for (std::int64_t columns = cores / 2 / rows + 1; rows * columns <= cores; ++columns)
      if (out[at.m] % rows == 0 && out[at.n] % columns == 0)
        std::ranges::move(CoreGrid(plan, id, rows, columns, places).candidates(like), std::back_inserter(found));
  return found;
}

}  // namespace

std::vector<OperatorChoice> hand_on_candidates(const TilingOperator& op, const Hardware& hardware,
                                               const PlanOptions& options, const Tiling& like, int cores, double most) {
  const bool plain = op.graph.op(op.op).kind == OpKind::kMatMul && hardware.kinds.empty();
  if (!plain || hardware.network.topology == Topology::kSimple || cores < 2) return {};
  const Plan plan = make_plan(op.graph, hardware, options, {.stop_after = "split", .verify = false});
  std::vector<HandOnCandidate> found = of_all_grids(plan, op.op, like, cores);
  std::erase_if(found, [&](const HandOnCandidate& candidate) { return candidate.cycles >= most; });
  std::ranges::stable_sort(found, {}, &HandOnCandidate::cycles);
  found.resize(std::min(found.size(), static_cast<std::size_t>(constants().hand_on_points)));
  std::vector<OperatorChoice> choices;
  for (HandOnCandidate& candidate : found) choices.push_back(std::move(candidate.choice));
  return choices;
}

}  // namespace tilewright
