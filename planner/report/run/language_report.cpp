#include "planner/report/run/language_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/constants/constants.h"
#include "planner/estimate/bandwidth.h"
#include "planner/estimate/unit_times.h"
#include "planner/import/language/language_graph.h"
#include "planner/report/run/make_report.h"
#include "planner/report/run/text.h"
#include "sim/base/checked.h"

namespace tilewright {
namespace {

// What the operators of one block did.
struct BlockWork {
  Picoseconds end = 0;
  double picojoules = 0;
  Bytes read = 0, written = 0;
  std::int64_t macs = 0;
};

BlockWork work_of_block(const Report& report, std::int64_t block) {
  BlockWork work;
  for (const OperatorReport& op : report.operators) {
    if (!op.ran || !op.name.starts_with(block_prefix(block))) continue;
    work.end = std::max(work.end, op.end);
    work.picojoules += op.picojoules;
    work.read += op.dram_read, work.written += op.dram_written;
    work.macs += op.macs;
  }
  return work;
}

double static_picojoules(const Report& report) {
  const auto part = std::find_if(report.energy.begin(), report.energy.end(),
                                 [](const EnergyShare& share) { return share.component == "static"; });
  return part == report.energy.end() ? 0 : part->picojoules;
}

// `left` more blocks like the second one.
void add_blocks(LanguageReport& language, const Report& report, std::int64_t left) {
  const BlockWork block = work_of_block(report, 2);
  const auto count = static_cast<double>(left);
  const auto add = [&](std::int64_t& figure, std::int64_t of_block) {
    const auto refuse = [&] {
      throw UserError(report.workload,
                      fmt::format("the times, bytes or sums of {} layers are more than 64 bits hold", language.layers));
    };
    figure = checked_sum(figure, checked_product(left, of_block, refuse), refuse);
  };
  add(language.time, language.second_block);
  add(language.dram_read, block.read), add(language.dram_written, block.written);
  add(language.multiply_adds, block.macs);
  const double idle_power = ratio(static_picojoules(report), static_cast<double>(report.time));
  language.picojoules += count * (block.picojoules + idle_power * static_cast<double>(language.second_block));
}

void add_bounds(LanguageReport& language, const LanguageModel& model, const Plan& plan) {
  const Hardware& hardware = plan.hardware;
  const LanguageWork work = work_of(model, plan.options.type);
  language.weights = work.weights, language.cache = work.cache, language.step_bytes = work.step_bytes();
  language.memory = hardware.dram.capacity();
  language.bandwidth_bound =
      bound_time(static_cast<double>(language.step_bytes) / dram_peak(hardware), hardware.core_clock);
  language.compute_bound =
      bound_time(peak_time(hardware.core.matmul, plan.options.type, static_cast<double>(work.macs), hardware.cores()),
                 hardware.core_clock);
}

std::string blocks_text(const LanguageReport& l) {
  if (l.simulated_layers == l.layers) return fmt::format("all {} simulated", l.layers);
  const BlockTimes times{l.second_block, l.third_block};
  return fmt::format(
      "{} of {} simulated; the others taken as the second, {}: the third differs by {:.2f} %, tolerance {:g} %",
      l.simulated_layers, l.layers, time_text(l.second_block), 100 * times.difference(), 100 * l.tolerance);
}

std::string what_text(const LanguageReport& l) {
  const std::string sequences = fmt::format("{} sequence{}", l.batch, l.batch == 1 ? "" : "s");
  if (!l.decodes()) return fmt::format("prefill of {} tokens, {}", l.context, sequences);
  return fmt::format("decode, {}, {} tokens in the cache and {} to come", sequences, l.context, l.new_tokens);
}

}  // namespace

double BlockTimes::difference() const {
  return second == 0 ? 0 : std::abs(static_cast<double>(third - second)) / static_cast<double>(second);
}

BlockTimes block_times(const Report& report) {
  const Picoseconds first = work_of_block(report, 1).end, second = work_of_block(report, 2).end;
  return {second - first, work_of_block(report, 3).end - second};
}

std::optional<LanguageReport> language_report(const LanguageModel& model, const Plan& plan, const Report& report) {
  LanguageReport language{.family = model.config.family, .phase = std::string(name_of(model.run.phase))};
  language.batch = model.run.batch, language.context = model.run.context, language.new_tokens = model.run.new_tokens;
  language.tokens = model.rows();
  language.layers = model.config.layers, language.simulated_layers = model.blocks();
  language.tolerance = constants().repeat_tolerance;
  language.time = report.time, language.picojoules = report.picojoules;
  language.dram_read = report.dram.read, language.dram_written = report.dram.written;
  language.multiply_adds = report.macs;
  if (language.simulated_layers < language.layers) {
    const BlockTimes times = block_times(report);
    if (times.difference() > language.tolerance) return std::nullopt;
    language.second_block = times.second, language.third_block = times.third;
    add_blocks(language, report, language.layers - language.simulated_layers);
  }
  add_bounds(language, model, plan);
  return language;
}

std::string language_text(const LanguageReport& l) {
  std::string text = fmt::format("Language model: {}\n", what_text(l));
  text += labelled_line("blocks", blocks_text(l));
  text += labelled_line(l.decodes() ? "time per token" : "time to first token", time_text(l.time));
  if (l.new_tokens > 1) text += labelled_line("time of all new tokens", time_text(l.time * l.new_tokens));
  text += labelled_line("tokens per second", fmt::format("{:.1f}", l.tokens_per_second()));
  text += labelled_line("energy per token", energy_text(l.picojoules_per_token()));
  text += labelled_line("weights, cache", fmt::format("{}, {}", bytes_text(l.weights), bytes_text(l.cache)));
  if (!l.fits())
    text += labelled_line(
        "memory",
        fmt::format("{}, which does not hold both: times are those of a chip with more of it", bytes_text(l.memory)));
  text += labelled_line("bandwidth bound", fmt::format("{}: {} of weights and cache at the DRAM's peak",
                                                       time_text(l.bandwidth_bound), bytes_text(l.step_bytes)));
  text += labelled_line("compute bound", time_text(l.compute_bound));
  return text + labelled_line("time over bound", fmt::format("{:.2f}", ratio(static_cast<double>(l.time),
                                                                             static_cast<double>(l.bound()))));
}

}  // namespace tilewright
