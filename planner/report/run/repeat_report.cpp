#include "planner/report/run/repeat_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/constants/constants.h"
#include "planner/graph/block_names.h"
#include "planner/report/run/make_report.h"
#include "planner/report/run/text.h"
#include "sim/base/checked.h"
#include "sim/base/error.h"

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
void add_blocks(RepeatReport& repeat, const Report& report, std::int64_t left) {
  const BlockWork block = work_of_block(report, 2);
  const auto count = static_cast<double>(left);
  const auto add = [&](std::int64_t& figure, std::int64_t of_block) {
    const auto refuse = [&] {
      throw UserError(report.workload,
                      fmt::format("the times, bytes or sums of {} layers are more than 64 bits hold", repeat.layers));
    };
    figure = checked_sum(figure, checked_product(left, of_block, refuse), refuse);
  };
  add(repeat.time, repeat.second_block);
  add(repeat.dram_read, block.read), add(repeat.dram_written, block.written);
  add(repeat.multiply_adds, block.macs);
  const double idle_power = ratio(static_picojoules(report), static_cast<double>(report.time));
  repeat.picojoules += count * (block.picojoules + idle_power * static_cast<double>(repeat.second_block));
}

}  // namespace

double BlockTimes::difference() const {
  return second == 0 ? 0 : std::abs(static_cast<double>(third - second)) / static_cast<double>(second);
}

BlockTimes block_times(const Report& report) {
  const Picoseconds first = work_of_block(report, 1).end, second = work_of_block(report, 2).end;
  return {second - first, work_of_block(report, 3).end - second};
}

std::optional<RepeatReport> repeat_report(const Report& report, std::int64_t layers, std::int64_t simulated) {
  RepeatReport repeat{.layers = layers, .simulated_layers = simulated, .tolerance = constants().repeat_tolerance};
  repeat.time = report.time, repeat.picojoules = report.picojoules;
  repeat.dram_read = report.dram.read, repeat.dram_written = report.dram.written;
  repeat.multiply_adds = report.macs;
  if (!repeat.is_part()) return repeat;
  const BlockTimes times = block_times(report);
  if (times.difference() > repeat.tolerance) return std::nullopt;
  repeat.second_block = times.second, repeat.third_block = times.third;
  add_blocks(repeat, report, layers - simulated);
  return repeat;
}

std::string blocks_text(const RepeatReport& l) {
  if (!l.is_part()) return fmt::format("all {} simulated", l.layers);
  const BlockTimes times{l.second_block, l.third_block};
  return fmt::format(
      "{} of {} simulated; the others taken as the second, {}: the third differs by {:.2f} %, tolerance {:g} %",
      l.simulated_layers, l.layers, time_text(l.second_block), 100 * times.difference(), 100 * l.tolerance);
}

std::string repeat_text(const RepeatReport& repeat) {
  std::string text = fmt::format("Repeated block: {} of them\n", repeat.layers);
  text += labelled_line("blocks", blocks_text(repeat));
  text += labelled_line("time of all", time_text(repeat.time));
  text += labelled_line("energy of all", energy_text(repeat.picojoules));
  text += labelled_line(
      "DRAM of all", fmt::format("{} read, {} written", bytes_text(repeat.dram_read), bytes_text(repeat.dram_written)));
  return text + labelled_line("multiply-adds of all", count_text(repeat.multiply_adds));
}

}  // namespace tilewright
