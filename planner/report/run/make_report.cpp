#include "planner/report/run/make_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "planner/constants/constants.h"
#include "planner/emit/chain/chain.h"
#include "planner/emit/chain/row_sums.h"
#include "planner/emit/window_chain/window_chain.h"
#include "planner/estimate/roofline.h"
#include "planner/ir/constant_copies.h"
#include "planner/ir/exchanged_bytes.h"
#include "planner/ir/in_place.h"
#include "planner/ir/label_check.h"
#include "planner/ir/lifetime.h"
#include "planner/ir/memory_sharing.h"
#include "planner/measure/energy.h"
#include "planner/report/run/channel_balance.h"
#include "planner/report/run/verdict.h"
#include "sim/base/error.h"
#include "sim/base/statistics_by_name.h"
#include "sim/hw/config/kind_keys.h"
#include "sim/hw/timing/area.h"
#include "sim/isa/unit_time.h"

namespace tilewright {
namespace {

EventCounts total_events(const RunResult& result) {
  EventCounts total{};
  for (const OperatorResult& op : result.operators)
    for (int i = 0; i < kEventCount; ++i) total[i] += op.events[i];
  return total;
}

void fill_energy(Report& report, const EnergyReport& energy) {
  for (const ComponentEnergy& part : energy.components) report.energy.push_back({part.component, part.picojoules});
  report.picojoules = energy.total_pj;
}

PhaseShares core_phases(const StatisticsByName& statistics, int core, const Report& report) {
  PhaseShares shares{};
  for (int i = 0; i < kCorePhaseCount; ++i) {
    const double cycles = statistics.at(fmt::format("core{}.{}_cycles", core, name_of(static_cast<CorePhase>(i))));
    shares[i] = ratio(cycles * static_cast<double>(report.core_clock.period_ps), static_cast<double>(report.time));
  }
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  SIM_CHECK(report.time == 0 || std::abs(sum - 1) < 1e-6, "the phases of core {} add up to {} of the time", core, sum);
  return shares;
}

void fill_core_time(Report& report, const Statistics& all) {
  const StatisticsByName statistics(all);
  const double period = static_cast<double>(report.core_clock.period_ps), time = static_cast<double>(report.time);
  for (int core = 0; core < report.cores; ++core) {
    report.core_time.push_back(core_phases(statistics, core, report));
    for (int i = 0; i < kCorePhaseCount; ++i) report.mean_time[i] += report.core_time.back()[i] / report.cores;
    report.vector_busy.push_back(ratio(statistics.at(fmt::format("core{}.vector.busy_cycles", core)) * period, time));
    SIM_CHECK(report.vector_busy.back() <= kMaxShareOfLimit, "vector unit {} busy {} of the time", core,
              report.vector_busy.back());
  }
}

void fill_causes(Report& report, const std::vector<CauseTimes>& causes) {
  SIM_CHECK(static_cast<int>(causes.size()) == report.cores, "causes of {} cores of {}", causes.size(), report.cores);
  for (const CauseTimes& times : causes) {
    CauseShares& shares = report.core_causes.emplace_back();
    for (int i = 0; i < kCauseCount; ++i) {
      shares[i] = ratio(static_cast<double>(times[i]), static_cast<double>(report.time));
      report.mean_causes[i] += shares[i] / report.cores;
    }
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    SIM_CHECK(report.time == 0 || std::abs(sum - 1) < 1e-6, "the causes of a core add up to {} of the time", sum);
  }
}

void fill_utilisation(Report& report, const Statistics& statistics) {
  const double ideal = statistics.sum("matmul.ideal_cycles"), busy = statistics.sum("matmul.busy_cycles");
  const double cycles = static_cast<double>(report.time) / static_cast<double>(report.core_clock.period_ps);
  report.utilisation = ratio(ideal, cycles * report.cores);
  report.mapping_efficiency = ratio(ideal, busy);
  SIM_CHECK(report.utilisation <= kMaxShareOfLimit, "utilisation {}", report.utilisation);
  SIM_CHECK(report.mapping_efficiency <= kMaxShareOfLimit, "mapping efficiency {}", report.mapping_efficiency);
}

void fill_dram(Report& report, const Statistics& statistics, const EventCounts& events, const DramSpec& spec) {
  DramReport& dram = report.dram;
  const auto whole = [&](const char* name) { return static_cast<std::int64_t>(statistics.sum(name)); };
  dram.read = count(events, Event::kDramReadBytes);
  dram.written = count(events, Event::kDramWriteBytes);
  dram.shared = whole("combined_bytes") + whole("multicast_bytes");
  dram.bytes_per_second = ratio(static_cast<double>(dram.read + dram.written), static_cast<double>(report.time)) * 1e12;
  dram.peak_bytes_per_second = spec.peak_bytes_per_second();
  dram.row_hits = whole("row_hits");
  dram.row_misses = whole("row_misses");
  dram.row_conflicts = whole("row_conflicts");
  const double clocks = ratio(statistics.sum("read_latency_total"), statistics.sum("completed_reads"));
  dram.mean_read_latency_ns = clocks * static_cast<double>(spec.clock.period_ps) / 1e3;
  SIM_CHECK(dram.share_of_peak() <= kMaxShareOfLimit, "DRAM bandwidth {} of its peak", dram.share_of_peak());
}

void sum_operators(Report& report) {
  double core_time = 0, time = 0;
  for (const OperatorReport& op : report.operators) {
    report.traffic.local += op.traffic.local;
    report.traffic.remote += op.traffic.remote;
    report.exchanged += op.exchanged;
    core_time += static_cast<double>(op.end - op.begin) * op.cores;
    time += static_cast<double>(op.end - op.begin);
  }
  report.cores_busy = ratio(core_time, time);
}

Bytes bytes_touched(const Plan& plan, const Operator& op) {
  std::set<TensorId> tensors(op.inputs.begin(), op.inputs.end());
  tensors.insert(op.output);
  for (const Epilogue& epilogue : op.epilogues)
    if (epilogue.operand) tensors.insert(*epilogue.operand);
  Bytes bytes = 0;
  for (TensorId id : tensors) bytes += element_count(plan.graph.tensor(id).shape) * bytes_of(plan.tensors.at(id).type);
  return bytes;
}

// Where nobody waits for the channels, how the requests are spread over them does not matter.
void fill_warnings(Report& report, const ReportInput& input) {
  const auto share = [&](Cause cause) { return report.mean_causes[static_cast<int>(cause)]; };
  const double waits = share(Cause::kDramBandwidth) + share(Cause::kBankConflict);
  if (waits < constants().channel_warning_share) return;
  if (const auto advice = advice_on_channels(input.program, input.hardware))
    report.warnings.push_back(
        fmt::format("addresses collide in DRAM channels: the busiest of {} gets {:.1f} times its share of the requests "
                    "in flight together, {:.1f} times with {} (--what-if tries it)",
                    input.hardware.dram.channels, advice->imbalance, advice->changed_imbalance, advice->change));
}

// What the program does, against what the graph asks for.
void fill_modelled(Report& report, const ReportInput& input) {
  if (input.plan == nullptr) return;
  const Plan& plan = *input.plan;
  std::set<std::string> ran;
  for (const OperatorReport& op : report.operators)
    if (op.ran) ran.insert(op.name);
  double macs = 0, bytes = 0, bytes_modelled = 0;
  for (OperatorId id : plan.order) {
    const Operator& op = plan.graph.op(id);
    const bool renaming = needs_no_instruction(plan, op);
    const double touched = static_cast<double>(bytes_touched(plan, op));
    macs += static_cast<double>(mac_count(plan.graph, op));
    bytes += touched;
    if (renaming || ran.count(op.name) > 0) bytes_modelled += touched;
  }
  macs += static_cast<double>(macs_repeated(plan) + macs_of_row_sums(plan) - macs_left_out(plan));
  report.modelled_macs = macs == 0 ? 1 : static_cast<double>(report.macs) / macs;
  report.modelled_bytes = bytes == 0 ? 1 : bytes_modelled / bytes;
  SIM_CHECK(report.modelled_macs <= 1, "{} multiply-adds ran of {}", report.macs, macs);
}

void fill_groups(Report& report, const ReportInput& input) {
  if (input.plan == nullptr) return;
  const Plan& plan = *input.plan;
  for (const OperatorGroup& group : plan.groups) {
    GroupReport told;
    if (walks_windows(plan.graph, group)) {
      told.rows = group.block_rows.front();
    } else {
      const ChainBlocks blocks = chosen_blocks(plan, group, 0);
      told.rows = blocks.rows, told.columns = blocks.columns;
    }
    for (const OperatorId member : group.members) {
      told.operators.push_back(plan.graph.op(member).name);
      if (member != group.members.back()) told.kept += bytes_of_tensor(plan, plan.graph.op(member).output);
    }
    report.groups.push_back(std::move(told));
  }
}

void fill_stores(Report& report, const ReportInput& input) {
  if (input.plan == nullptr) return;
  const Plan& plan = *input.plan;
  std::vector<TensorId> kept;
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id)
    if (plan.tensors[id].alias_of < 0 && lies_in_cluster_memory(plan, id)) kept.push_back(id);
  if (kept.empty()) return;
  const std::vector<TensorTraffic> traffic = expect_labels_hold(plan);
  for (const TensorId id : kept)
    report.stores.push_back({plan.graph.tensor(id).name, to_text(plan.labels[id].dynamic.store),
                             bytes_of_tensor(plan, id), traffic[id].written, traffic[id].read});
}

}  // namespace

Report make_report(const ReportInput& input) {
  const EventCounts events = total_events(input.result);
  const EnergyReport energy = energy_of(input.hardware, input.result);
  Report report{.hardware = input.hardware.name, .workload = input.workload};
  if (input.plan != nullptr) report.type = name_of(input.plan->options.type);
  if (input.plan != nullptr) {
    const Roofline network = network_roofline_of(*input.plan);
    report.network_bound = bound_time(network.cycles(), input.plan->hardware.core_clock);
    report.bound = bound_time(operators_roofline_of(*input.plan).cycles(), input.plan->hardware.core_clock);
    report.compulsory_bytes = network.compulsory_bytes;
    report.constant_copies = copied_bytes(*input.plan);
  }
  report.cores = input.hardware.cores();
  report.core_clock = input.hardware.core_clock;
  report.dram_clock = input.hardware.dram.clock;
  report.time = input.result.time;
  report.checked = input.checked;
  report.checked_by_readers = input.checked_by_readers;
  report.macs = multiply_adds(events);
  report.instructions = count(events, Event::kInstruction);
  fill_core_time(report, input.result.statistics);
  fill_causes(report, input.result.causes);
  fill_utilisation(report, input.result.statistics);
  fill_dram(report, input.result.statistics, events, input.hardware.dram);
  report.peers = static_cast<Bytes>(input.result.statistics.sum("peer_read_bytes") +
                                    input.result.statistics.sum("peer_write_bytes"));
  fill_energy(report, energy);
  report.operators = operator_reports(input, energy);
  sum_operators(report);
  fill_modelled(report, input);
  fill_groups(report, input);
  fill_stores(report, input);
  fill_warnings(report, input);
  const Verdict verdict = verdict_of(report);
  report.bottleneck = verdict.sentence;
  if (input.hardware.kinds.empty() || !is_key_of_kinds(verdict.change)) report.first_change = verdict.change;
  return report;
}

namespace {

// Picoseconds that each operator's multiply-adds take on all matmul units of the chip at their full rate.
std::vector<double> ideal_times(const Program& program, const Hardware& hardware) {
  std::array<double, kDataTypeCount> rates;
  for (int type = 0; type < kDataTypeCount; ++type)
    rates[type] = multiply_adds_per_cycle(hardware, static_cast<DataType>(type));
  std::vector<double> times(program.operators.size(), 0.0);
  for (const CoreProgram& core : program.cores)
    for (const Instruction& instruction : core.instructions)
      if (const Matmul* matmul = std::get_if<Matmul>(&instruction.payload))
        times[instruction.op] += static_cast<double>(multiply_adds_of(*matmul)) /
                                 rates[static_cast<int>(matmul->type)] *
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
