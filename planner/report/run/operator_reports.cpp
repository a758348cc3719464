#include "planner/report/run/operator_reports.h"

#include <functional>
#include <map>
#include <numeric>

#include "planner/estimate/roofline.h"
#include "planner/ir/exchanged_bytes.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

std::int64_t product(const MatmulExtents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

// Picoseconds that each operator's multiply-adds take on all matmul units of the chip at their full rate.
std::vector<double> ideal_times(const Program& program, const Hardware& hardware) {
  const MatmulSpec& spec = hardware.core.matmul;
  const double cells = static_cast<double>(spec.rows) * spec.columns * spec.arrays * hardware.cores();
  std::vector<double> times(program.operators.size(), 0.0);
  for (const CoreProgram& core : program.cores)
    for (const Instruction& instruction : core.instructions)
      if (const Matmul* matmul = std::get_if<Matmul>(&instruction.payload))
        times[instruction.op] += static_cast<double>(product(matmul->m)) * static_cast<double>(product(matmul->n)) *
                                 static_cast<double>(product(matmul->k)) /
                                 (cells * spec.rate[static_cast<int>(matmul->type)]) *
                                 static_cast<double>(hardware.core_clock.period_ps);
  return times;
}

OperatorReport measured_operator(const std::string& name, const OperatorResult& result, double ideal,
                                 double picojoules) {
  OperatorReport op{.name = name};
  op.ran = result.begin != kNever;
  if (!op.ran) return op;
  op.begin = result.begin;
  op.end = result.end;
  op.macs = multiply_adds(result.events);
  op.dram_read = count(result.events, Event::kDramReadBytes);
  op.dram_written = count(result.events, Event::kDramWriteBytes);
  op.traffic = result.traffic;
  op.utilisation = ratio(ideal, static_cast<double>(op.end - op.begin));
  op.picojoules = picojoules;
  SIM_CHECK(op.utilisation <= kMaxShareOfLimit, "utilisation {} of operator {}", op.utilisation, name);
  return op;
}

void describe(OperatorReport& report, const Plan& plan, OperatorId id) {
  const OperatorPlan& planned = plan.operators.at(id);
  report.kind = name_of(plan.graph.op(id).kind);
  report.split = planned.split.reason;
  report.cores = static_cast<int>(planned.split.items.size());
  report.exchanged = exchanged_bytes(plan, id);
  if (!planned.tilings.empty()) report.tiling = planned.tilings.front().reason;
  report.bound = bound_time(roofline_of(plan, id).cycles(), plan.hardware.core_clock);
}

}  // namespace

std::vector<OperatorReport> operator_reports(const ReportInput& input, const EnergyReport& energy) {
  std::vector<OperatorReport> reports;
  std::map<std::string, OperatorId> by_name;
  if (input.plan != nullptr)
    for (OperatorId id : input.plan->order) by_name.emplace(input.plan->graph.op(id).name, id);
  const std::vector<double> ideal = ideal_times(input.program, input.hardware);
  SIM_CHECK(input.result.operators.size() == ideal.size(), "{} operators measured, {} in the program",
            input.result.operators.size(), ideal.size());
  for (std::size_t i = 1; i < ideal.size(); ++i) {
    const std::string& name = input.program.operators[i];
    reports.push_back(measured_operator(name, input.result.operators[i], ideal[i], energy.operators_pj.at(i)));
    if (const auto found = by_name.find(name); found != by_name.end())
      describe(reports.back(), *input.plan, found->second);
  }
  return reports;
}

}  // namespace tilewright
