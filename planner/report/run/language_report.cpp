#include "planner/report/run/language_report.h"

#include <fmt/format.h>

#include "planner/estimate/bandwidth.h"
#include "planner/report/run/make_report.h"
#include "planner/report/run/text.h"
#include "sim/hw/timing/area.h"

namespace tilewright {
namespace {

void add_bounds(LanguageReport& language, const LanguageModel& model, const Plan& plan) {
  const Hardware& hardware = plan.hardware;
  const LanguageWork work = work_of(model, plan.options.type);
  language.weights = work.weights, language.cache = work.cache, language.step_bytes = work.step_bytes();
  language.memory = hardware.dram.capacity();
  language.bandwidth_bound =
      bound_time(static_cast<double>(language.step_bytes) / dram_peak(hardware), hardware.core_clock);
  language.compute_bound = bound_time(
      static_cast<double>(work.macs) / multiply_adds_per_cycle(hardware, plan.options.type), hardware.core_clock);
}

std::string what_text(const LanguageReport& l) {
  const std::string sequences = fmt::format("{} sequence{}", l.batch, l.batch == 1 ? "" : "s");
  if (!l.decodes()) return fmt::format("prefill of {} tokens, {}", l.context, sequences);
  return fmt::format("decode, {}, {} tokens in the cache and {} to come", sequences, l.context, l.new_tokens);
}

}  // namespace

std::optional<LanguageReport> language_report(const LanguageModel& model, const Plan& plan, const Report& report) {
  const auto repeat = repeat_report(report, model.config.layers, model.blocks());
  if (!repeat) return std::nullopt;
  LanguageReport language;
  static_cast<RepeatReport&>(language) = *repeat;
  language.family = model.config.family, language.phase = name_of(model.run.phase);
  language.batch = model.run.batch, language.context = model.run.context, language.new_tokens = model.run.new_tokens;
  language.tokens = model.rows();
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
