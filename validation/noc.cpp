#include "validation/noc.h"

#include <array>
#include <charconv>

#include "sim/base/csv.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr double kBandPercent = 10;
constexpr double kJudgedLoad = 0.6, kShownLoad = 0.91;  // of saturation
constexpr Cycles kDrainLimit = 200000;

std::vector<int> hotspots_of(const NocReferenceRow& row, int side) {
  const std::string& traffic = row.traffic;
  if (traffic.ends_with("node0")) return {0};
  if (traffic.ends_with("corners")) return {0, side - 1, side * (side - 1), side * side - 1};
  if (traffic.ends_with("2of4")) return row.topology.starts_with("ring") ? std::vector{0, 2} : std::vector{0, 3};
  throw UserError("traffic", fmt::format("got '{}', which hotspots are meant?", traffic));
}

NocPattern pattern_of(const std::string& traffic) {
  if (traffic == "uniform") return NocPattern::kUniform;
  if (traffic == "transpose") return NocPattern::kTranspose;
  if (traffic == "neighbor") return NocPattern::kNeighbor;
  if (traffic.starts_with("hotspot_") || traffic.starts_with("rw_")) return NocPattern::kHotspot;
  throw UserError("traffic", fmt::format("got '{}', expected uniform|transpose|neighbor|hotspot_*|rw_*", traffic));
}

NocReferenceRow noc_row(const CsvRow& table) {
  NocReferenceRow row;
  row.topology = table.text("topology");
  row.nodes = static_cast<int>(table.number_or("nodes", 0));
  row.link_cycles = static_cast<int>(table.number_or("channel_latency", 0));
  row.packet = table.text("packet_flits");
  row.traffic = table.text("traffic");
  row.offered = table.number_or("offered_rate", 0);
  row.throughput = table.text("mode") == "throughput";
  row.partly_unstable = table.text("status").starts_with("partly_unstable");
  row.latency = table.number_or("avg_packet_latency", 0);
  row.accepted = table.number_or("accepted_flits_node_cycle", 0);
  row.zero_load = table.number_or("zero_load_latency_formula", 0);
  row.saturation = table.number_or("saturation_rate_stable", 0);
  return row;
}

}  // namespace

std::string NocReferenceRow::name() const {
  const std::string flits = packet.size() > 2 ? "" : packet + "-flit ";
  return fmt::format("{} {}{} at {:g} of {:g}", topology, flits, traffic, offered, saturation);
}

NocLoad load_of(const NocReferenceRow& row) {
  if (row.partly_unstable || row.offered > kShownLoad * row.saturation) return NocLoad::kSaturated;
  return row.offered <= kJudgedLoad * row.saturation ? NocLoad::kToSixty : NocLoad::kToNinety;
}

std::string_view name_of(NocLoad load) {
  static constexpr std::array<std::string_view, 3> kNames{"to 60 % of saturation", "to 90 % of saturation",
                                                          "at saturation"};
  return kNames[static_cast<int>(load)];
}

NetworkSpec noc_spec_of(const NocReferenceRow& row) {
  const auto spec = noc_topology(row.topology, row.link_cycles);
  if (!spec || spec->routers != row.nodes)
    throw UserError("topology",
                    fmt::format("got '{}' with {} nodes, expected mesh<k>x<k> or ring<n>", row.topology, row.nodes));
  return *spec;
}

NocTraffic noc_traffic_of(const NocReferenceRow& row) {
  NocTraffic traffic;
  traffic.pattern = pattern_of(row.traffic);
  const NetworkSpec spec = noc_spec_of(row);
  if (traffic.pattern == NocPattern::kHotspot) traffic.hotspots = hotspots_of(row, spec.mesh_columns);
  traffic.request_reply = row.traffic.starts_with("rw_");
  if (!traffic.request_reply)
    std::from_chars(row.packet.data(), row.packet.data() + row.packet.size(), traffic.packet_flits);
  traffic.packets_per_cycle = row.offered / traffic.packet_flits;
  return traffic;
}

NocMeasure measure_noc(const NocReferenceRow& row, const NocEffort& effort, int group_flits) {
  const Cycles share = row.nodes > 16 ? 5 : 1;
  const Cycles from = effort.warm_up / share, to = from + effort.measured / share;
  NetworkSpec spec = noc_spec_of(row);
  spec.router.group_flits = group_flits;
  NocTrafficRun run(spec, noc_traffic_of(row), effort.seed);
  run.measure(from, to);
  run.run_until(to);
  if (!row.throughput) run.drain(kDrainLimit);
  return run.result();
}

namespace {

// Flit by flit as BookSim goes, judged; and in the groups of flits that chips use.
void compare(const NocReferenceRow& row, const NocEffort& effort, int group_flits, ValidationReport& report) {
  if (group_flits > 1 && row.packet == "1") return;  // a packet of one flit is a group of one
  const NocMeasure ours = measure_noc(row, effort, group_flits);
  const std::string grouped = group_flits > 1 ? fmt::format(", groups of {} flits", group_flits) : "";
  if (row.throughput) {
    report.add("network throughput" + grouped, row.name(), "flits/terminal/cycle", row.accepted, ours.accepted_flits,
               group_flits > 1 ? std::nullopt : std::optional(kBandPercent));
    return;
  }
  const NocLoad load = load_of(row);
  report.add(fmt::format("network latency {}{}", name_of(load), grouped), row.name(), "cycles", row.latency,
             ours.latency, load == NocLoad::kToSixty ? std::optional(kBandPercent) : std::nullopt);
}

}  // namespace

ValidationReport validate_noc(const std::string& path, const NocEffort& effort) {
  ValidationReport report;
  report.title = "Network";
  report.reference = "BookSim 2, commit 28f43299 (" + path + ")";
  for (const NocReferenceRow& row : read_noc_reference(path))
    for (const int flits : {1, kChipGroupFlits})
      report.attempt("network " + row.name(), [&] { compare(row, effort, flits, report); });
  return report;
}

std::vector<NocReferenceRow> read_noc_reference(const std::string& path) {
  std::vector<NocReferenceRow> rows;
  for (const CsvRow& row : read_csv_table(path)) rows.push_back(noc_row(row));
  return rows;
}

}  // namespace tilewright
