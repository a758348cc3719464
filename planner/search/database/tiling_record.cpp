#include "planner/search/database/tiling_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <tuple>

#include "sim/base/error.h"
#include "sim/base/number_text.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

enum Column : std::size_t {
  kHardware,
  kSimulator,
  kObjective,
  kOperator,
  kDims,
  kType,
  kAttributes,
  kLayout,
  kKind,
  kParent,
  kBroke,
  kPoint,
  kCycles,
  kEnergy,
  kMacs,
  kDramRead,
  kDramWritten,
  kUtilisation,
  kProgram,
  kSource,
  kBound,
  kGrowth,
  kSettings,
  kColumnCount
};

template <typename T>
T number(const std::string& text, const std::string& where, int base = 10) {
  const auto value = number_of<T>(text, base);
  if (!value) throw UserError(where, fmt::format("got '{}', expected a whole number", text));
  return *value;
}

// Beyond any measurement, and exact in a report.
constexpr std::int64_t kMaxCounted = std::int64_t{1} << 53;

// The vector unit's products count too, so 1,000,000 is not the end; this many are read back as they were written.
constexpr std::int64_t kMaxUtilisation = 1'000'000'000'000;

std::int64_t count(const std::vector<std::string>& t, Column column, std::int64_t least, const std::string& where,
                   std::int64_t most = kMaxCounted) {
  const auto value = number<std::int64_t>(t[column], where);
  if (value < least || value > most)
    throw UserError(where, fmt::format("{} is {}, expected {} to {}", record_columns()[column], value, least, most));
  return value;
}

std::vector<std::int64_t> numbers(const std::string& text, const std::string& where) {
  std::vector<std::int64_t> list;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('_', at), text.size());
    list.push_back(number<std::int64_t>(text.substr(at, end - at), where));
    at = end + 1;
  }
  return list;
}

std::int64_t millionths(double value) { return std::llround(1e6 * value); }

// "conv 1_2_... bf16 pad=0" -> {"conv", "1_2_...", "bf16", "pad=0"}.
std::vector<std::string> words_of_shape(const OperatorShape& shape) {
  std::string text = to_string(shape);
  std::vector<std::string> words;
  for (int i = 0; i < 3; ++i) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.erase(0, std::min(end + 1, text.size()));
  }
  words.push_back(text);
  return words;
}

OperatorShape shape_from(const std::vector<std::string>& t, const std::string& where) {
  const std::string words = fmt::format("{} {} {}", t[kOperator], t[kDims], t[kType]);
  return parse_operator_shape(t[kAttributes].empty() ? words : words + " " + t[kAttributes], where);
}

Cost cost_from(const std::vector<std::string>& t, const std::string& where) {
  Cost cost;
  cost.cycles = count(t, kCycles, 1, where);
  cost.energy_pj = count(t, kEnergy, 0, where);
  cost.macs = count(t, kMacs, 0, where);
  cost.dram_read = count(t, kDramRead, 0, where);
  cost.dram_written = count(t, kDramWritten, 0, where);
  cost.utilisation = 1e-6 * static_cast<double>(count(t, kUtilisation, 0, where, kMaxUtilisation));
  cost.program_hash = number<std::uint64_t>(t[kProgram], where, 16);
  return cost;
}

}  // namespace

TilingContext context_of(const Hardware& hardware, Objective objective) {
  return {fmt::format("{:016x}", fingerprint(hardware)), simulator_version(), objective};
}

std::string_view name_of(RecordKind kind) { return kind == RecordKind::kInitial ? "initial" : "boundary"; }

bool operator<(const TilingRecord& a, const TilingRecord& b) {
  const auto key = [](const TilingRecord& r) {
    return std::make_tuple(r.context, family_of(r.shape), r.shape.dims, to_string(r.shape), r.kind, r.parent);
  };
  return key(a) < key(b);
}

const std::vector<std::string>& record_columns() {
  static const std::vector<std::string> kNames{"hardware",
                                               "simulator",
                                               "objective",
                                               "operator",
                                               "dims",
                                               "type",
                                               "attributes",
                                               "layout",
                                               "kind",
                                               "parent",
                                               "broke",
                                               "point",
                                               "cycles",
                                               "energy_pj",
                                               "macs",
                                               "dram_read_bytes",
                                               "dram_written_bytes",
                                               "utilisation_ppm",
                                               "program_hash",
                                               "source",
                                               "bound_cycles",
                                               "growth_ppm",
                                               "settings"};
  return kNames;
}

std::vector<std::string> record_texts(const TilingRecord& r) {
  const std::vector<std::string> shape = words_of_shape(r.shape);
  const auto text = [](auto value) { return fmt::format("{}", value); };
  return {r.context.hardware,
          r.context.simulator,
          std::string(name_of(r.context.objective)),
          shape[0],
          shape[1],
          shape[2],
          shape[3],
          r.context.layout,
          std::string(name_of(r.kind)),
          r.parent,
          r.broke,
          to_string(r.point),
          text(r.cost.cycles),
          text(r.cost.energy_pj),
          text(r.cost.macs),
          text(r.cost.dram_read),
          text(r.cost.dram_written),
          text(millionths(r.cost.utilisation)),
          fmt::format("{:016x}", r.cost.program_hash),
          r.measured ? "measured" : "predicted",
          text(r.bound_cycles),
          fmt::format("{}", fmt::join(r.growth_ppm, "_")),
          r.settings};
}

std::vector<std::string> key_texts(const TilingRecord& record) {
  std::vector<std::string> texts = words_of_shape(record.shape);
  texts.emplace_back(name_of(record.kind));
  texts.push_back(record.parent);
  return texts;
}

TilingRecord record_from_texts(const std::vector<std::string>& t, const std::string& where) {
  if (t.size() != kColumnCount)
    throw UserError(where, fmt::format("{} columns, expected {}", t.size(), static_cast<std::size_t>(kColumnCount)));
  TilingRecord r;
  r.context = {t[kHardware], t[kSimulator], parse_objective(t[kObjective], where), t[kLayout]};
  r.shape = shape_from(t, where);
  if (t[kKind] != "initial" && t[kKind] != "boundary")
    throw UserError(where, fmt::format("kind is '{}', expected initial|boundary", t[kKind]));
  r.kind = t[kKind] == "initial" ? RecordKind::kInitial : RecordKind::kBoundary;
  r.parent = t[kParent];
  r.broke = t[kBroke];
  r.point = parse_tiling_point(t[kPoint], where);
  r.cost = cost_from(t, where);
  if (t[kSource] != "measured" && t[kSource] != "predicted")
    throw UserError(where, fmt::format("source is '{}', expected measured|predicted", t[kSource]));
  r.measured = t[kSource] == "measured";
  r.bound_cycles = count(t, kBound, 0, where);
  r.growth_ppm = numbers(t[kGrowth], where);
  if (r.growth_ppm.size() != extents_of(r.shape).size())
    throw UserError(where,
                    fmt::format("{} growth figures for {} extents", r.growth_ppm.size(), extents_of(r.shape).size()));
  r.settings = t[kSettings];
  return r;
}

}  // namespace tilewright
