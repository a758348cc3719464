#include "validation/silicon.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/base/random.h"

namespace tilewright {
namespace {

template <typename T>
void shuffle(std::vector<T>& items, SplitMix64& random) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
}

double error_percent(double measured, double predicted) { return 100 * std::abs(predicted - measured) / measured; }

// At `share` of the sorted values, between two of them in proportion.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// In order of first appearance.
std::vector<std::string> families_of(const std::vector<SiliconRow>& rows) {
  std::vector<std::string> families;
  for (const SiliconRow& row : rows)
    if (std::find(families.begin(), families.end(), row.family) == families.end()) families.push_back(row.family);
  return families;
}

std::string percent(const ErrorFigures& figures) {
  return figures.rows == 0 ? "-" : fmt::format("{:.1f}", figures.mean);
}

struct FamilyErrors {
  std::vector<double> judged, roofline, parameter;
  std::vector<double> halves[2];
};

FamilyErrors errors_of(const std::vector<SiliconRow>& rows, const std::string& family, std::uint64_t seed) {
  FamilyErrors errors;
  for (const SiliconRow& row : rows) {
    if (row.family != family) continue;
    const double error = error_percent(row.measured, row.ours);
    (row.parameter ? errors.parameter : errors.judged).push_back(error);
    if (!row.parameter) errors.roofline.push_back(error_percent(row.measured, row.roofline));
  }
  SplitMix64 random(seed);
  std::vector<double> shuffled = errors.judged;
  shuffle(shuffled, random);
  for (std::size_t i = 0; i < shuffled.size(); ++i) errors.halves[i % 2].push_back(shuffled[i]);
  return errors;
}

std::string family_line(const std::string& family, std::size_t width, const FamilyErrors& errors) {
  const ErrorFigures all = figures_of(errors.judged), roofline = figures_of(errors.roofline);
  std::string line = fmt::format("  {:<{}} {:>5}", family, width, all.rows);
  if (all.rows == 0)
    line += fmt::format(" {:>7} {:>7} {:>7} {:>7} {:>9}", "-", "-", "-", "-", "-");
  else
    line += fmt::format(" {:>7.1f} {:>7.1f} {:>7.1f} {:>7.1f} {:>9.1f}", all.mean, all.median, all.p90, all.worst,
                        roofline.mean);
  return line + fmt::format(" {:>7} {:>7} {:>6} {:>7}\n", percent(figures_of(errors.halves[0])),
                            percent(figures_of(errors.halves[1])), errors.parameter.size(),
                            percent(figures_of(errors.parameter)));
}

}  // namespace

std::vector<std::size_t> draw_rows(const std::vector<SiliconCandidate>& rows, const SiliconSample& sample) {
  std::vector<std::size_t> order(rows.size()), chosen;
  for (std::size_t i = 0; i < rows.size(); ++i) order[i] = i;
  SplitMix64 random(sample.seed);
  shuffle(order, random);
  std::map<std::string, int> taken;
  for (const std::size_t i : order) {
    const SiliconCandidate& row = rows[i];
    const bool within = !row.large && (row.parameter || taken[row.family]++ < sample.per_family);
    if (sample.per_family == 0 || within) chosen.push_back(i);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

ErrorFigures figures_of(std::vector<double> absolute_errors) {
  ErrorFigures figures{.rows = absolute_errors.size()};
  if (absolute_errors.empty()) return figures;
  std::sort(absolute_errors.begin(), absolute_errors.end());
  for (const double error : absolute_errors) figures.mean += error / static_cast<double>(absolute_errors.size());
  figures.median = quantile(absolute_errors, 0.5);
  figures.p90 = quantile(absolute_errors, 0.9);
  figures.worst = absolute_errors.back();
  return figures;
}

std::string silicon_table(const std::vector<SiliconRow>& rows, std::uint64_t seed) {
  const std::vector<std::string> families = families_of(rows);
  std::size_t width = 8;
  for (const std::string& family : families) width = std::max(width, family.size());
  std::string text = fmt::format(
      "  |error| in %, out of sample; halves drawn with seed {}; in sample: rows that a parameter comes from\n", seed);
  text += fmt::format("  {:<{}} {:>5} {:>7} {:>7} {:>7} {:>7} {:>9} {:>7} {:>7} {:>14}\n", "family", width, "rows",
                      "mean", "median", "p90", "worst", "roofline", "half 1", "half 2", "in sample");
  for (const std::string& family : families) text += family_line(family, width, errors_of(rows, family, seed));
  return text;
}

namespace {

std::string large_rows_text(const std::vector<SiliconCandidate>& rows, const SiliconSample& sample) {
  const auto large = std::count_if(rows.begin(), rows.end(), [](const SiliconCandidate& row) { return row.large; });
  if (sample.per_family == 0 || large == 0) return "";
  return fmt::format("  {} large rows of {} run with --per-family 0 only\n", large, rows.size());
}

// One table while it is run.
class SiliconRun {
 public:
  SiliconRun(const std::string& csv_path, const SiliconSample& sample, const SiliconSuite& suite)
      : sample_(sample), suite_(suite), report_{.title = suite.title, .reference = suite.reference} {
    for (const CsvRow& row : read_csv_table(csv_path))
      report_.attempt(suite.title, [&] {
        candidates_.push_back(suite.candidate(row));
        rows_.push_back(row);
      });
  }

  ValidationReport finish() {
    const std::vector<std::size_t> drawn = draw_rows(candidates_, sample_);
    std::vector<std::string> families;
    for (const std::size_t i : drawn)
      if (const std::string& family = candidates_[i].family; std::ranges::find(families, family) == families.end())
        families.push_back(family);
    for (const std::string& family : families) run_family(family, drawn);
    report_.table = silicon_table(done_, sample_.seed) + large_rows_text(candidates_, sample_) + far_;
    return std::move(report_);
  }

 private:
  void run_family(const std::string& family, const std::vector<std::size_t>& drawn) {
    std::optional<FamilyLimit> limit;
    for (const std::size_t i : drawn) {
      if (candidates_[i].family != family) continue;
      limit = candidates_[i].limit;
      report_.attempt(family, [&] { run_row(i); });
    }
    const FamilyErrors errors = errors_of(done_, family, sample_.seed);
    if (sample_.family_done) sample_.family_done(family_line(family, family.size(), errors));
    const ErrorFigures figures = figures_of(errors.judged);
    if (!limit || figures.rows == 0) return;
    const double found = limit->of_median ? figures.median : figures.mean;
    report_.add_range("asked of families", family,
                      fmt::format("{} %, asked {:.0f}", limit->of_median ? "median" : "mean", limit->percent), 0,
                      limit->percent, found, 0);
  }

  void run_row(std::size_t i) {
    const SiliconCandidate& candidate = candidates_[i];
    SiliconRow row = suite_.run(rows_[i]);
    row.family = candidate.family;
    row.parameter = candidate.parameter;
    report_.add(row.family, row.name, suite_.unit, row.measured, row.ours, std::nullopt);
    const double error = 100 * (row.ours / row.measured - 1);
    if (candidate.limit && std::abs(error) > kFarOff * candidate.limit->percent)
      far_ +=
          fmt::format("  far off: {} {}, measured {:.4g} {}, ours {:.4g}, {:+.1f} %, {:g} % are asked of its family\n",
                      row.family, row.name, row.measured, suite_.unit, row.ours, error, candidate.limit->percent);
    done_.push_back(row);
  }

  const SiliconSample& sample_;
  const SiliconSuite& suite_;
  ValidationReport report_;
  std::vector<CsvRow> rows_;
  std::vector<SiliconCandidate> candidates_;
  std::vector<SiliconRow> done_;
  std::string far_;
};

}  // namespace

ValidationReport validate_silicon(const std::string& csv_path, const SiliconSample& sample, const SiliconSuite& suite) {
  return SiliconRun(csv_path, sample, suite).finish();
}

}  // namespace tilewright
