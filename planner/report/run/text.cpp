#include "planner/report/run/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "planner/report/run/language_report.h"
#include "sim/base/printable.h"

namespace tilewright {

std::string labelled_line(std::string_view label, const std::string& value) {
  return fmt::format("  {:<22}{}\n", label, value);
}

namespace {

struct Scale {
  double size;
  const char* unit;
};

template <std::size_t N>
std::string scaled(double value, const std::array<Scale, N>& scales, int digits) {
  const auto fits = [&](const Scale& scale) { return value >= scale.size; };
  auto scale = std::find_if(scales.begin(), scales.end(), fits);
  if (scale == scales.end()) --scale;
  return fmt::format("{:.{}f} {}", value / scale->size, digits, scale->unit);
}

std::string bound_line(std::string_view name, Picoseconds time, Picoseconds bound, std::string_view meaning) {
  return labelled_line(name, fmt::format("{}; the run took {:.2f} times that ({})", time_text(bound),
                                         static_cast<double>(time) / static_cast<double>(bound), meaning));
}

std::string head_text(const Report& r) {
  std::string text = fmt::format("{} on {}, {} core{}{}\n\n", printable(r.workload), printable(r.hardware), r.cores,
                                 r.cores == 1 ? "" : "s", r.type.empty() ? "" : ", " + r.type);
  text += labelled_line("total time", fmt::format("{} = {}", time_text(r.time), cycles_text(r.time, r.core_clock)));
  if (r.network_bound)
    text += bound_line("network bound", r.time, *r.network_bound, "weights, inputs and outputs once");
  if (r.bound) text += bound_line("operators' bound", r.time, *r.bound, "each operator by itself, added up");
  text += labelled_line("bottleneck", r.bottleneck);
  if (!r.first_change.empty())
    text += labelled_line("to change first", fmt::format("{} (--what-if tries it)", r.first_change));
  for (const std::string& warning : r.warnings) text += labelled_line("warning", warning);
  return text;
}

std::string work_text(const Report& r) {
  std::string text = labelled_line("multiply-adds", count_text(r.macs));
  text += labelled_line("utilisation",
                        fmt::format("{} of the matmul units' peak; {} while they computed (mapping efficiency)",
                                    percent_text(r.utilisation), percent_text(r.mapping_efficiency)));
  text += labelled_line("DRAM bandwidth",
                        fmt::format("{:.2f} GB/s = {} of the peak of {:.2f} GB/s", r.dram.bytes_per_second / 1e9,
                                    percent_text(r.dram.share_of_peak()), r.dram.peak_bytes_per_second / 1e9));
  text += labelled_line("DRAM traffic",
                        fmt::format("{} read, {} written", bytes_text(r.dram.read), bytes_text(r.dram.written)));
  if (r.dram.shared > 0)
    text += labelled_line("shared reads", fmt::format("{} more from answers to other readers of the same bytes",
                                                      bytes_text(r.dram.shared)));
  text += labelled_line("DRAM rows", fmt::format("{} hits ({}), {} misses, {} conflicts", count_text(r.dram.row_hits),
                                                 percent_text(r.dram.hit_rate()), count_text(r.dram.row_misses),
                                                 count_text(r.dram.row_conflicts)));
  text += labelled_line("mean read latency", fmt::format("{:.1f} ns", r.dram.mean_read_latency_ns));
  text += labelled_line("distance", fmt::format("{} to and from the cluster's own memory, {} to and from others",
                                                bytes_text(r.traffic.local), bytes_text(r.traffic.remote)));
  if (r.peers > 0)
    text += labelled_line("other cores",
                          fmt::format("{} to and from their buffers and other clusters' memory", bytes_text(r.peers)));
  if (r.constant_copies > 0)
    text += labelled_line("constant copies", fmt::format("{} more of DRAM, next to other cores that read them",
                                                         bytes_text(r.constant_copies)));
  if (!r.type.empty())
    text += labelled_line("exchanged",
                          fmt::format("{} between cores; {:.1f} of {} cores have work, mean over the operators",
                                      bytes_text(r.exchanged), r.cores_busy, r.cores));
  text += labelled_line("instructions", count_text(r.instructions));
  text += labelled_line("modelled", fmt::format("{} of the multiply-adds, {} of the operators' bytes",
                                                percent_text(r.modelled_macs), percent_text(r.modelled_bytes)));
  return text;
}

std::string energy_table(const Report& r) {
  if (r.picojoules == 0) return "\nEnergy: no figures, as the hardware file has no prices (its key `energy`)\n";
  std::string text = fmt::format("\nEnergy: {}, {:.3f} W on average\n", energy_text(r.picojoules),
                                 r.time == 0 ? 0.0 : r.picojoules / static_cast<double>(r.time));
  for (const EnergyShare& part : r.energy)
    text += fmt::format("  {:<22}{:>14}{:>9}\n", part.component, energy_text(part.picojoules),
                        percent_text(part.picojoules / r.picojoules));
  return text;
}

double mean(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Causes that took part of any core's time.
std::vector<int> shown_causes(const Report& r) {
  std::vector<int> shown;
  for (int i = 0; i < kCauseCount; ++i) {
    const auto took = [&](const CauseShares& shares) { return shares[i] >= 0.0005; };
    if (std::any_of(r.core_causes.begin(), r.core_causes.end(), took)) shown.push_back(i);
  }
  return shown;
}

// What a row of the table is about: a core or, on a chip of many, neighbouring ones.
struct CoreRow {
  std::string name;
  CauseShares shares{};  // mean over the cores
  double vector_busy = 0;
};

CoreRow row_of(const Report& r, std::size_t first, std::size_t count) {
  CoreRow row{count == 1 ? std::to_string(first) : fmt::format("{}-{}", first, first + count - 1)};
  for (std::size_t core = first; core < first + count; ++core) {
    for (int i = 0; i < kCauseCount; ++i) row.shares[i] += r.core_causes[core][i] / static_cast<double>(count);
    row.vector_busy += r.vector_busy[core] / static_cast<double>(count);
  }
  return row;
}

std::string row_text(const CoreRow& row, std::size_t width, const std::vector<int>& shown) {
  std::string text = fmt::format("  {:<{}}", row.name, width);
  for (const int cause : shown) text += fmt::format("{:>11}", percent_text(row.shares[cause]));
  return text + fmt::format("  |{:>11}\n", percent_text(row.vector_busy));
}

std::string where_time_went(const Report& r) {
  constexpr std::size_t kMostRows = 64, kWidth = 6;
  const std::size_t cores = r.core_causes.size(), each = std::max<std::size_t>(1, ceil_div(cores, kMostRows));
  std::vector<CoreRow> rows;
  for (std::size_t core = 0; core < cores; core += each) rows.push_back(row_of(r, core, std::min(each, cores - core)));
  const std::size_t width = rows.empty() ? kWidth : std::max(kWidth, rows.back().name.size());
  const std::vector<int> shown = shown_causes(r);
  std::string text = fmt::format(
      "\nWhere the time went, {}: every wait by what it was for (up to the line, the shares add up to 100 %)\n  {:<{}}",
      each == 1 ? "per core" : fmt::format("means of {} cores", each), each == 1 ? "core" : "cores", width);
  for (const int cause : shown) text += fmt::format("{:>11}", info_of(static_cast<Cause>(cause)).title);
  text += fmt::format("  |{:>11}\n", "vector on");
  for (const CoreRow& row : rows) text += row_text(row, width, shown);
  return cores > 1 ? text + row_text({"mean", r.mean_causes, mean(r.vector_busy)}, width, shown) : text;
}

std::string gain_text(const Report& r, const std::optional<Picoseconds>& time) {
  return time ? fmt::format("{:.1f} %", 100 * r.gain(*time)) : "-";
}

std::string what_if_text(const Report& r) {
  if (r.what_if.empty()) return "";
  std::string text = "\nWhat if (gains of the total time; below 0: a loss)\n";
  constexpr std::string_view kRow = "  {:<50} {:>12} {:>14} {:>14}{}\n";
  text += fmt::format(kRow, "change", "the account", "same program", "planned again", "");
  for (const WhatIfReport& one : r.what_if)
    text +=
        fmt::format(kRow, one.change, one.account ? percent_text(*one.account) : "-", gain_text(r, one.same_program),
                    gain_text(r, one.planned_again), one.trouble.empty() ? "" : "  " + one.trouble);
  return text;
}

// How wide the columns of words are; what is longer than a name may be keeps its end, which tells more than the path
// before it.
struct OperatorColumns {
  static constexpr std::size_t kMaxName = 48;
  std::size_t name = 30, kind = 12;
};

// The end of a long name.
std::string shown_name(const OperatorReport& op) {
  const std::string name = printable(op.name);
  if (name.size() <= OperatorColumns::kMaxName) return name;
  return "..." + name.substr(name.size() - OperatorColumns::kMaxName + 3);
}

OperatorColumns columns_of(const Report& r) {
  OperatorColumns columns;
  for (const OperatorReport& op : r.operators) {
    if (!op.ran) continue;
    columns.name = std::max(columns.name, shown_name(op).size());
    columns.kind = std::max(columns.kind, op.kind.size());
  }
  return columns;
}

constexpr std::string_view kOperatorRow = "  {:<{}} {:<{}} {:>11} {:>8} {:>16} {:>8} {:>11} {:>11} {:>11}  {}\n";

std::string operator_row(const OperatorReport& op, const Report& r, const OperatorColumns& columns) {
  const double share = r.time == 0 ? 0 : static_cast<double>(op.end - op.begin) / static_cast<double>(r.time);
  return fmt::format(kOperatorRow, shown_name(op), columns.name, op.kind, columns.kind, time_text(op.end - op.begin),
                     percent_text(share), count_text(op.macs), op.macs ? percent_text(op.utilisation) : "-",
                     bytes_text(op.dram_read), bytes_text(op.dram_written),
                     r.picojoules == 0 ? "-" : energy_text(op.picojoules), op.split);
}

std::string operators_text(const Report& r) {
  const OperatorColumns columns = columns_of(r);
  std::string text = "\nOperators (first start to last completion; neighbours overlap, so the shares may pass 100 %)\n";
  text += fmt::format(kOperatorRow, "operator", columns.name, "kind", columns.kind, "time", "share", "multiply-adds",
                      "util", "DRAM read", "written", "energy", "split");
  for (const OperatorReport& op : r.operators)
    if (op.ran) text += operator_row(op, r, columns);
  return text;
}

std::string groups_text(const Report& r) {
  if (r.groups.empty()) return "";
  std::string text =
      "\nGroups: operators computed together by blocks of rows; what is between them stays in the buffers\n";
  for (const GroupReport& group : r.groups)
    text += fmt::format("  {}: {} rows{} at a time, {} neither written nor read\n",
                        printable(fmt::format("{}", fmt::join(group.operators, " -> "))), group.rows,
                        group.columns > 0 ? fmt::format(" by {} columns", group.columns) : "", bytes_text(group.kept));
  return text;
}

std::string stores_text(const Report& r) {
  if (r.stores.empty()) return "";
  Bytes written = 0, read = 0;
  for (const StoreReport& store : r.stores) written += store.written, read += store.read;
  std::string text =
      fmt::format("\nIn cluster memory instead of DRAM: {} written, {} read\n", bytes_text(written), bytes_text(read));
  for (const StoreReport& store : r.stores)
    text += fmt::format("  {}: {} in {}, {} written, {} read\n", printable(store.tensor), bytes_text(store.bytes),
                        store.store, bytes_text(store.written), bytes_text(store.read));
  return text;
}

std::string check_line(const CheckedOutput& out) {
  return fmt::format("  {:<30} largest error {:.3g} of the largest value, tolerance {:.3g}\n", printable(out.name),
                     out.largest_error, out.tolerance);
}

bool worse(const CheckedOutput& a, const CheckedOutput& b) {
  return a.largest_error * b.tolerance > b.largest_error * a.tolerance;
}

std::string checks_text(const Report& r) {
  if (!r.checked) return "";
  if (!r.check_ok()) {
    std::string text = "\nValues: THE OUTPUTS DIFFER from the reference computation\n";
    for (const CheckedOutput& out : *r.checked)
      if (!out.ok) text += check_line(out);
    return text;
  }
  const auto all = std::ssize(*r.checked) + r.checked_by_readers;
  const std::string through = r.checked_by_readers == 0
                                  ? ""
                                  : fmt::format(
                                        " ({} of them, whose results' memory was used again or that kept them on "
                                        "the cores, by what was computed from them)",
                                        r.checked_by_readers);
  std::string text =
      fmt::format("\nValues: outputs of {} operator{} compared{}, all agree with the reference computation\n", all,
                  all == 1 ? "" : "s", through);
  if (r.checked->empty()) return text;
  return text + check_line(*std::min_element(r.checked->begin(), r.checked->end(), worse));
}

}  // namespace

std::string time_text(Picoseconds time) {
  constexpr std::array<Scale, 4> kScales{{{1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}}};
  return scaled(static_cast<double>(time), kScales, 3);
}

std::string cycles_text(Picoseconds time, const Clock& clock) {
  return fmt::format("{} cycles at {:g} MHz", count_text(clock.ceil(time)), clock.megahertz());
}

std::string cycles_text(double cycles) { return count_text(static_cast<std::int64_t>(cycles)); }

std::string count_text(std::int64_t count) {
  std::string digits = fmt::format("{}", count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string bytes_text(Bytes bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  constexpr std::array<Scale, 3> kScales{{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}}};
  return scaled(static_cast<double>(bytes), kScales, 2);
}

std::string energy_text(double picojoules) {
  constexpr std::array<Scale, 5> kScales{{{1e12, "J"}, {1e9, "mJ"}, {1e6, "uJ"}, {1e3, "nJ"}, {1, "pJ"}}};
  return scaled(picojoules, kScales, 3);
}

std::string percent_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string to_text(const Report& report) {
  check_figures(report);
  const bool part = report.repeat || (report.language && report.language->is_part());
  std::string blocks = report.language ? language_text(*report.language) + "\n" : "";
  if (report.repeat) blocks += repeat_text(*report.repeat) + "\n";
  const char* around = report.repeat ? "what stands around them" : "embedding and head";
  return blocks + (part ? fmt::format("The blocks that were simulated, with {}:\n", around) : "") + head_text(report) +
         "\n" + work_text(report) + where_time_went(report) + what_if_text(report) + energy_table(report) +
         operators_text(report) + groups_text(report) + stores_text(report) + checks_text(report);
}

}  // namespace tilewright
