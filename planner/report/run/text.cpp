#include "planner/report/run/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace tilewright {
namespace {

// "label            value", the lines of the summary.
std::string labelled_line(std::string_view label, const std::string& value) {
  return fmt::format("  {:<22}{}\n", label, value);
}

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
  std::string text = fmt::format("{} on {}, {} core{}{}\n\n", r.workload, r.hardware, r.cores, r.cores == 1 ? "" : "s",
                                 r.type.empty() ? "" : ", " + r.type);
  text += labelled_line("total time", fmt::format("{} = {}", time_text(r.time), cycles_text(r.time, r.core_clock)));
  if (r.network_bound)
    text += bound_line("network bound", r.time, *r.network_bound, "weights, inputs and outputs once");
  if (r.bound) text += bound_line("operators' bound", r.time, *r.bound, "each operator by itself, added up");
  text += labelled_line("bottleneck", r.bottleneck);
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
  text += labelled_line("DRAM rows", fmt::format("{} hits ({}), {} misses, {} conflicts", count_text(r.dram.row_hits),
                                                 percent_text(r.dram.hit_rate()), count_text(r.dram.row_misses),
                                                 count_text(r.dram.row_conflicts)));
  text += labelled_line("mean read latency", fmt::format("{:.1f} ns", r.dram.mean_read_latency_ns));
  text += labelled_line("distance", fmt::format("{} to and from the cluster's own memory, {} to and from others",
                                                bytes_text(r.traffic.local), bytes_text(r.traffic.remote)));
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

std::string core_row(const std::string& name, const PhaseShares& shares, double vector_busy) {
  std::string row = fmt::format("  {:<8}", name);
  for (double share : shares) row += fmt::format("{:>12}", percent_text(share));
  return row + fmt::format("  |{:>8}\n", percent_text(vector_busy));
}

double mean(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string where_time_went(const Report& r) {
  std::string text = "\nWhere the time went, per core (shares of the total time; the matmul unit's add up to 100 %)\n";
  text += fmt::format("  {:<8}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}  |{:>8}\n", "core", "compute", "wait A", "wait B",
                      "wait acc", "wait token", "idle", "vector");
  for (std::size_t core = 0; core < r.core_time.size(); ++core)
    text += core_row(fmt::format("{}", core), r.core_time[core], r.vector_busy[core]);
  return r.core_time.size() > 1 ? text + core_row("mean", r.mean_time, mean(r.vector_busy)) : text;
}

// How wide the columns of words are; what is longer than a name may be keeps its end, which tells more than the path
// before it.
struct OperatorColumns {
  static constexpr std::size_t kMaxName = 48;
  std::size_t name = 30, kind = 12;
};

OperatorColumns columns_of(const Report& r) {
  OperatorColumns columns;
  for (const OperatorReport& op : r.operators) {
    if (!op.ran) continue;
    columns.name = std::max(columns.name, std::min(op.name.size(), OperatorColumns::kMaxName));
    columns.kind = std::max(columns.kind, op.kind.size());
  }
  return columns;
}

std::string shortened(const std::string& name) {
  if (name.size() <= OperatorColumns::kMaxName) return name;
  return "..." + name.substr(name.size() - OperatorColumns::kMaxName + 3);
}

constexpr std::string_view kOperatorRow = "  {:<{}} {:<{}} {:>11} {:>8} {:>16} {:>8} {:>11} {:>11} {:>11}  {}\n";

std::string operator_row(const OperatorReport& op, const Report& r, const OperatorColumns& columns) {
  const double share = r.time == 0 ? 0 : static_cast<double>(op.end - op.begin) / static_cast<double>(r.time);
  return fmt::format(kOperatorRow, shortened(op.name), columns.name, op.kind, columns.kind,
                     time_text(op.end - op.begin), percent_text(share), count_text(op.macs),
                     op.macs ? percent_text(op.utilisation) : "-", bytes_text(op.dram_read),
                     bytes_text(op.dram_written), r.picojoules == 0 ? "-" : energy_text(op.picojoules), op.split);
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
    text += fmt::format("  {}: {} rows by {} columns at a time, {} neither written nor read\n",
                        fmt::join(group.operators, " -> "), group.rows, group.columns, bytes_text(group.kept));
  return text;
}

std::string check_line(const CheckedOutput& out) {
  return fmt::format("  {:<30} largest error {:.3g} of the largest value, tolerance {:.3g}\n", out.name,
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
  std::string text =
      fmt::format("\nValues: outputs of {} operator{} compared, all agree with the reference computation\n",
                  r.checked->size(), r.checked->size() == 1 ? "" : "s");
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
  return head_text(report) + "\n" + work_text(report) + where_time_went(report) + energy_table(report) +
         operators_text(report) + groups_text(report) + checks_text(report);
}

}  // namespace tilewright
