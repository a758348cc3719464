#include "planner/report/run/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "planner/report/run/quantities.h"
#include "sim/base/csv.h"
#include "sim/base/error.h"

namespace tilewright {

std::string_view name_of(CorePhase phase) {
  switch (phase) {
    case CorePhase::kCompute:
      return "compute";
    case CorePhase::kWaitA:
      return "wait_a";
    case CorePhase::kWaitB:
      return "wait_b";
    case CorePhase::kWaitAccumulator:
      return "wait_accumulator";
    case CorePhase::kWaitToken:
      return "wait_token";
    case CorePhase::kIdle:
      return "idle";
  }
  SIM_CHECK(false, "phase {}", static_cast<int>(phase));
}

double DramReport::hit_rate() const {
  const std::int64_t accesses = row_hits + row_misses + row_conflicts;
  return accesses == 0 ? 0 : static_cast<double>(row_hits) / static_cast<double>(accesses);
}

bool Report::check_ok() const {
  return !checked || std::all_of(checked->begin(), checked->end(), [](const CheckedOutput& o) { return o.ok; });
}

namespace {

using Json = nlohmann::ordered_json;

Json phases(const PhaseShares& shares) {
  Json json;
  for (int i = 0; i < kCorePhaseCount; ++i) json[std::string(name_of(static_cast<CorePhase>(i)))] = 100 * shares[i];
  return json;
}

Json causes(const CauseShares& shares) {
  Json json;
  for (int i = 0; i < kCauseCount; ++i) json[std::string(info_of(static_cast<Cause>(i)).name)] = 100 * shares[i];
  return json;
}

Json what_if_json(const Report& r) {
  Json list = Json::array();
  for (const WhatIfReport& one : r.what_if) {
    Json json{{"change", one.change}};
    const auto add = [&](const std::string& name, const std::optional<Picoseconds>& time) {
      if (!time) return;
      json[name + "_ps"] = *time;
      json[name + "_gain_percent"] = 100 * r.gain(*time);
    };
    if (one.account) json["account_percent"] = 100 * *one.account;
    add("same_program", one.same_program);
    add("planned_again", one.planned_again);
    if (!one.trouble.empty()) json["trouble"] = one.trouble;
    list.push_back(json);
  }
  return list;
}

Json dram(const DramReport& d) {
  return {{"read_bytes", d.read},
          {"written_bytes", d.written},
          {"shared_read_bytes", d.shared},
          {"gb_per_s", d.bytes_per_second / 1e9},
          {"peak_gb_per_s", d.peak_bytes_per_second / 1e9},
          {"percent_of_peak", 100 * d.share_of_peak()},
          {"row_hits", d.row_hits},
          {"row_misses", d.row_misses},
          {"row_conflicts", d.row_conflicts},
          {"row_hit_percent", 100 * d.hit_rate()},
          {"mean_read_latency_ns", d.mean_read_latency_ns}};
}

Json energy_json(const Report& r) {
  Json parts;
  for (const EnergyShare& part : r.energy) parts[part.component] = part.picojoules;
  return {{"total_picojoules", r.picojoules}, {"components_picojoules", parts}};
}

Json cores(const Report& r) {
  Json list = Json::array();
  for (std::size_t core = 0; core < r.core_time.size(); ++core)
    list.push_back({{"core", core},
                    {"time_percent", phases(r.core_time[core])},
                    {"cause_percent", causes(r.core_causes[core])},
                    {"vector_busy_percent", 100 * r.vector_busy[core]}});
  return list;
}

Json operator_json(const OperatorReport& op, const Clock& clock) {
  Json json{{"name", op.name}, {"kind", op.kind}};
  json["time_ps"] = op.end - op.begin;
  json["cycles"] = clock.ceil(op.end - op.begin);
  json["begin_ps"] = op.begin;
  json["end_ps"] = op.end;
  if (op.bound) json["roofline_bound_ps"] = *op.bound;
  json["multiply_adds"] = op.macs;
  json["utilisation_percent"] = 100 * op.utilisation;
  json["dram_read_bytes"] = op.dram_read;
  json["dram_written_bytes"] = op.dram_written;
  json["local_bytes"] = op.traffic.local;
  json["remote_bytes"] = op.traffic.remote;
  json["exchanged_bytes"] = op.exchanged;
  json["cores"] = op.cores;
  json["dynamic_picojoules"] = op.picojoules;
  json["split"] = op.split;
  json["tiling"] = op.tiling;
  return json;
}

Json operators_json(const Report& r) {
  Json list = Json::array();
  for (const OperatorReport& op : r.operators)
    if (op.ran) list.push_back(operator_json(op, r.core_clock));
  return list;
}

Json stores_json(const Report& r) {
  Json list = Json::array();
  for (const StoreReport& store : r.stores)
    list.push_back({{"tensor", store.tensor},
                    {"store", store.store},
                    {"bytes", store.bytes},
                    {"bytes_written", store.written},
                    {"bytes_read", store.read}});
  return list;
}

Json groups_json(const Report& r) {
  Json list = Json::array();
  for (const GroupReport& group : r.groups) {
    Json entry{{"operators", group.operators}, {"block_rows", group.rows}};
    if (group.columns > 0) entry["block_columns"] = group.columns;
    entry["bytes_kept_on_chip"] = group.kept;
    list.push_back(std::move(entry));
  }
  return list;
}

Json checks_json(const Report& r) {
  Json outputs = Json::array();
  for (const CheckedOutput& out : *r.checked)
    outputs.push_back(
        {{"operator", out.name}, {"largest_error", out.largest_error}, {"tolerance", out.tolerance}, {"ok", out.ok}});
  Json json{{"ok", r.check_ok()}, {"outputs", outputs}};
  if (r.checked_by_readers > 0) json["operators_by_readers"] = r.checked_by_readers;
  return json;
}

Json language_json(const LanguageReport& l) {
  Json json{{"family", l.family}, {"phase", l.phase}, {"batch", l.batch}, {"context", l.context}};
  json["new_tokens"] = l.new_tokens;
  json["layers"] = l.layers;
  json["simulated_layers"] = l.simulated_layers;
  if (l.simulated_layers < l.layers) {
    json["second_block_ps"] = l.second_block;
    json["third_block_ps"] = l.third_block;
    json["tolerance_percent"] = 100 * l.tolerance;
  }
  json[l.decodes() ? "time_per_token_ps" : "time_to_first_token_ps"] = l.time;
  json["tokens_per_second"] = l.tokens_per_second();
  json["picojoules_per_token"] = l.picojoules_per_token();
  json["total_picojoules"] = l.picojoules;
  json["weight_bytes"] = l.weights;
  json["cache_bytes"] = l.cache;
  json["fits_memory"] = l.fits();
  json["step_bytes"] = l.step_bytes;
  json["dram_read_bytes"] = l.dram_read;
  json["dram_written_bytes"] = l.dram_written;
  json["multiply_adds"] = l.multiply_adds;
  json["bandwidth_bound_ps"] = l.bandwidth_bound;
  json["compute_bound_ps"] = l.compute_bound;
  return json;
}

Json repeat_json(const RepeatReport& r) {
  return {{"blocks", r.layers},
          {"simulated_blocks", r.simulated_layers},
          {"second_block_ps", r.second_block},
          {"third_block_ps", r.third_block},
          {"tolerance_percent", 100 * r.tolerance},
          {"time_ps", r.time},
          {"total_picojoules", r.picojoules},
          {"dram_read_bytes", r.dram_read},
          {"dram_written_bytes", r.dram_written},
          {"multiply_adds", r.multiply_adds}};
}

Json head_json(const Report& r) {
  Json json{{"schema_version", kSummarySchemaVersion}, {"hardware", r.hardware}, {"workload", r.workload}};
  if (!r.type.empty()) json["type"] = r.type;
  json["cores"] = r.cores;
  json["time_ps"] = r.time;
  json["total_cycles"] = r.cycles();
  json["core_clock_mhz"] = r.core_clock.megahertz();
  json["dram_clock_mhz"] = r.dram_clock.megahertz();
  if (r.network_bound) json["network_bound_ps"] = *r.network_bound;
  if (r.bound) json["roofline_bound_ps"] = *r.bound;
  if (r.compulsory_bytes) json["compulsory_bytes"] = *r.compulsory_bytes;
  json["bottleneck"] = r.bottleneck;
  if (!r.first_change.empty()) json["first_change"] = r.first_change;
  return json;
}

Json json_of(const Report& r) {
  Json json = head_json(r);
  if (!r.warnings.empty()) json["warnings"] = r.warnings;
  if (r.repeat) json["repeated_block"] = repeat_json(*r.repeat);
  if (r.language) json["language_model"] = language_json(*r.language);
  json["multiply_adds"] = r.macs;
  json["utilisation_percent"] = 100 * r.utilisation;
  json["mapping_efficiency_percent"] = 100 * r.mapping_efficiency;
  json["instructions"] = r.instructions;
  json["modelled_percent"] = {{"multiply_adds", 100 * r.modelled_macs}, {"bytes", 100 * r.modelled_bytes}};
  json["dram"] = dram(r.dram);
  json["traffic"] = {{"local_bytes", r.traffic.local}, {"remote_bytes", r.traffic.remote}, {"peer_bytes", r.peers}};
  json["constant_copies_bytes"] = r.constant_copies;
  json["exchanged_bytes"] = r.exchanged;
  json["mean_cores_with_work"] = r.cores_busy;
  json["energy"] = energy_json(r);
  json["mean_core_time_percent"] = phases(r.mean_time);
  json["mean_core_cause_percent"] = causes(r.mean_causes);
  json["cores_time"] = cores(r);
  if (!r.what_if.empty()) json["what_if"] = what_if_json(r);
  json["operators"] = operators_json(r);
  json["groups"] = groups_json(r);
  json["cluster_tensors"] = stores_json(r);
  if (r.checked) json["values"] = checks_json(r);
  return json;
}

std::string row(const OperatorReport& op, const Clock& clock) {
  const std::string bound = op.bound ? fmt::format("{}", clock.ceil(*op.bound)) : "";
  return fmt::format("{},{},{},{},{},{},{},{:.3f},{},{},{},{},{},{},{:.3f},{},{}\n", csv_field(op.name),
                     csv_field(op.kind), op.begin, op.end, clock.ceil(op.end - op.begin), bound, op.macs,
                     100 * op.utilisation, op.dram_read, op.dram_written, op.traffic.local, op.traffic.remote,
                     op.exchanged, op.cores, op.picojoules, csv_field(op.split), csv_field(op.tiling));
}

}  // namespace

void check_figures(const Report& report) { check_quantities(json_of(report), ""); }

std::string to_json(const Report& report) {
  const Json json = json_of(report);
  check_quantities(json, "");
  // Names come from files of any encoding; what is no UTF-8 is replaced, not fatal.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string operators_csv(const Report& report) {
  std::string csv =
      "operator,kind,begin_ps,end_ps,cycles,bound_cycles,multiply_adds,utilisation_percent,dram_read_bytes,"
      "dram_written_bytes,local_bytes,remote_bytes,exchanged_bytes,cores,dynamic_picojoules,split,tiling\n";
  for (const OperatorReport& op : report.operators)
    if (op.ran) csv += row(op, report.core_clock);
  return csv;
}

}  // namespace tilewright
