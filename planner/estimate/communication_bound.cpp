#include "planner/estimate/communication_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "planner/estimate/bandwidth.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/contraction.h"
#include "planner/ir/requirement.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

struct Product {
  double m, n, k;
  double element, sum_element;  // bytes of operands and results, of partial results
  double products() const { return m * n * k; }
};

Product product_of(const Plan& plan, const Operator& op) {
  const auto whole = make_contraction(plan, op, whole_box(plan.graph.tensor(op.output).shape));
  const GemmShape& s = whole->shape();
  const DataType type = plan.tensors[whole->tensor_a()].type;
  return {static_cast<double>(s.m), static_cast<double>(s.n), static_cast<double>(s.k),
          static_cast<double>(bytes_of(type)), static_cast<double>(bytes_of(accumulator_type(type)))};
}

// Bytes of A and B that one of `parts` parts reads at least when it adds to `sums` sums.
double operand_bytes(const Product& p, double parts, double sums) {
  const double v = p.products() / parts, least = v * v / sums;  // of a * b
  const double shorter = std::min({p.m * p.k, p.k * p.n, std::sqrt(least)});
  return p.element * (shorter + least / shorter);
}

// Sums of a part for which operand_bytes() + `cost` bytes for each is least: where the derivative is zero with square
// operands, with one operand whole, or at a border.
std::vector<double> candidate_sums(const Product& p, double parts, double cost) {
  const double v = p.products() / parts, fewest = p.m * p.n / parts, shorter = std::min(p.m * p.k, p.k * p.n);
  std::vector<double> found{std::pow(p.element * v / cost, 2.0 / 3.0), v * std::sqrt(p.element / (cost * shorter)),
                            v * v / (shorter * shorter)};
  for (double& sums : found) sums = std::clamp(sums, fewest, p.m * p.n);
  found.push_back(fewest);
  found.push_back(p.m * p.n);
  return found;
}

// Least bytes of a part when each sum beyond its share of the results costs `cost` bytes.
double least_bytes(const Product& p, double parts, double cost) {
  double least = -1;
  for (const double sums : candidate_sums(p, parts, cost)) {
    const double bytes = operand_bytes(p, parts, sums) + cost * (sums - p.m * p.n / parts);
    if (least < 0 || bytes < least) least = bytes;
  }
  return least;
}

// `busy` core clocks of data, and the refreshes of all banks that fall due meanwhile, the last one perhaps not yet
// begun.
double with_refreshes(const Hardware& hardware, double busy) {
  const DramTiming& timing = hardware.dram.timing;
  if (timing.REFI == 0 || hardware.dram.model != DramModel::kBanked) return busy;
  const double clock =
      static_cast<double>(hardware.dram.clock.period_ps) / static_cast<double>(hardware.core_clock.period_ps);
  const double due = std::floor(busy / clock / (timing.REFI - timing.RFC)) - 1;
  return busy + std::max(0.0, due) * timing.RFC * clock;
}

CommunicationBound limit_of(const Plan& plan, const Product& p, DataType type, int cores) {
  const Hardware& hardware = plan.hardware;
  const bool shared = hardware.cluster_memory || hardware.shares_loads();
  const auto parts = static_cast<double>(shared ? std::min(cores, hardware.clusters) : cores);
  const auto of_cluster = static_cast<double>(shared ? 1 : ceil_div(cores, hardware.clusters));
  CommunicationBound limit{.cores = cores};
  limit.compute_cycles = std::numeric_limits<double>::infinity();
  hardware.for_each_kind([&](const ClusterKind& kind) {  // on the fastest cores
    const double cycles = peak_time(kind.core.matmul, type, p.products(), cores);
    limit.compute_cycles = std::min(limit.compute_cycles, cycles);
  });
  limit.dram_bytes = (p.m * p.k + p.k * p.n + p.m * p.n) * p.element;
  limit.dram_cycles = with_refreshes(hardware, limit.dram_bytes / dram_peak(hardware));
  limit.port_bytes = least_bytes(p, parts, p.sum_element) * of_cluster;
  limit.port_cycles = limit.port_bytes / cluster_peak(hardware);
  return limit;
}

}  // namespace

double CommunicationBound::cycles() const { return std::max({compute_cycles, dram_cycles, port_cycles}); }

bool has_communication_bound(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  return op.kind == OpKind::kMatMul &&
         make_contraction(plan, op, whole_box(plan.graph.tensor(op.output).shape))->shape().batches == 1;
}

CommunicationBound communication_bound(const Plan& plan, OperatorId id, int cores) {
  SIM_CHECK(has_communication_bound(plan, id) && cores > 0 && cores <= plan.hardware.cores(),
            "no single product on {} cores", cores);
  const Operator& op = plan.graph.op(id);
  const Product product = product_of(plan, op);
  const DataType type = plan.tensors[op.inputs[0]].type;
  return limit_of(plan, product, type, cores);
}

CommunicationBound least_communication_bound(const Plan& plan, OperatorId id, int cores) {
  CommunicationBound least = communication_bound(plan, id, 1);
  for (int n = 2; n <= cores; ++n)
    if (const CommunicationBound limit = communication_bound(plan, id, n); limit.cycles() < least.cycles())
      least = limit;
  return least;
}

}  // namespace tilewright
