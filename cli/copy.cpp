// tilewright copy HARDWARE TRACE.yaml: copies between views and blocked layouts, planned as strided boxes and measured.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/shipped.h"
#include "cli/workload_options.h"
#include "planner/measure/choose_copy.h"
#include "planner/measure/measure_copy.h"
#include "planner/report/run/text.h"
#include "planner/view/view_trace.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/session.h"

namespace tilewright {
namespace {

struct CopyCommand {
  std::string hardware, trace;
  bool check = false, via_plain = false, all_ways = false;
};

constexpr const char* kRow = "{:<24} {:<9} {:>12} {:>7} {:>10} {:>10} {:>11} {:>11} {:>7} {:>7} {:>7}";

void print_head() {
  fmt::print(kRow, "copy", "way", "bytes", "boxes", "runs", "least runs", "cycles", "DRAM bytes", "GB/s", "of peak",
             "at most");
  fmt::print("\n");
}

class CopyRun {
 public:
  CopyRun(const CopyCommand& command, const Hardware& hardware) : command_(command), session_(hardware) {}

  void run(const TracedCopy& copy) {
    const CopySide from{copy.input.layout, copy.input.view, 0, 0}, to{copy.output.layout, copy.output.view, 0, 0};
    if (element_count(copy.output.view.shape) == 0) {
      fmt::print(kRow, copy.name, "nothing", bytes_text(0), 0, 0, 0, 0, bytes_text(0), "-", "-", "-");
      fmt::print("\n");
      return;
    }
    const CopyBound bound = copy_bound(from, to);
    needed_ = (bound.read + bound.written) * bytes_of(copy.type);
    limit_ = placement_limit(session_.hardware(), copy, bound);
    const std::vector<CopyWay> ways = predicted_ways(session_.hardware(), copy);
    const Measured chosen = fastest(worth_a_run(ways), copy);
    const auto name = [&](const CopyJob& job) {
      return job.passes.size() == 1 ? std::string(name_of(direction_of(from, to)))
                                    : fmt::format("{} passes", job.passes.size());
    };
    print_row(copy.name, name(chosen.job), count_text(bound.runs), chosen.result);
    if (command_.all_ways)
      for (const CopyWay& way : ways) print_way(name(way.job), way, measured(way.job, copy));
    if (command_.via_plain) compare(chosen.result, copy_via_plain(copy), copy);
  }

  std::int64_t wrong() const { return wrong_; }

 private:
  struct Measured {
    CopyJob job;
    CopyMeasurement result;
  };

  Measured fastest(const std::vector<CopyWay>& ways, const TracedCopy& copy) {
    std::optional<Measured> best;
    for (const CopyWay& way : ways) {
      const CopyMeasurement result = measured(way.job, copy);
      if (!best || result.cycles < best->result.cycles) best = {way.job, result};
    }
    return *best;
  }

  static void print_way(const std::string& name, const CopyWay& way, const CopyMeasurement& result) {
    std::string passes;
    for (const CopyPass& pass : way.job.passes) passes += (passes.empty() ? "" : ", ") + pass.name;
    fmt::print("{:<24} {:<9} predicted {:>12} cycles, measured {:>12}: {}\n", "", name, cycles_text(way.predicted),
               count_text(result.cycles), passes);
  }

  void compare(const CopyMeasurement& chosen, const CopyJob& job, const TracedCopy& copy) {
    const CopyMeasurement plain = measured(job, copy);
    print_row("", fmt::format("{} passes", job.passes.size()), "", plain);
    const auto ratio = [](auto a, auto b) { return static_cast<double>(a) / static_cast<double>(b); };
    fmt::print("{:<24} the way taken is {:.2f} times as fast and moves {:.2f} times fewer bytes\n", "",
               ratio(plain.cycles, chosen.cycles),
               ratio(plain.dram_read + plain.dram_write, chosen.dram_read + chosen.dram_write));
  }

  CopyMeasurement measured(const CopyJob& job, const TracedCopy& copy) {
    const CopyMeasurement m = measure_copy(session_, with_fastest_tilings(session_, job), copy, command_.check);
    wrong_ += m.wrong_bytes.value_or(0);
    if (m.wrong_bytes.value_or(0) > 0) fmt::print("{}: {} bytes of the output are wrong\n", copy.name, *m.wrong_bytes);
    return m;
  }

  // Bandwidth counts the bytes that have to be read and written, whatever the way really moves.
  void print_row(const std::string& name, std::string_view way, const std::string& least, const CopyMeasurement& m) {
    const double rate = static_cast<double>(needed_) / (static_cast<double>(m.time) * 1e-12);
    fmt::print(kRow, name, way, bytes_text(needed_), count_text(m.boxes), count_text(m.runs), least,
               count_text(m.cycles), bytes_text(m.dram_read + m.dram_write), fmt::format("{:.1f}", rate / 1e9),
               percent_text(rate / session_.hardware().dram.peak_bytes_per_second()), percent_text(limit_));
    fmt::print("\n");
  }

  const CopyCommand& command_;
  Session session_;
  Bytes needed_ = 0;
  double limit_ = 1;
  std::int64_t wrong_ = 0;
};

// Runs `step` for every copy, giving what it throws the name of the copy.
template <typename Step>
void for_each_copy(const CopyCommand& command, const std::vector<TracedCopy>& copies, Step step) {
  for (const TracedCopy& copy : copies) {
    try {
      step(copy);
    } catch (const UserError& error) {
      throw UserError(fmt::format("{}: copy '{}'", command.trace, copy.name), error.what());
    }
  }
}

int run(const CopyCommand& command) {
  const Hardware hardware = load_hardware(command.hardware);
  const std::vector<TracedCopy> copies = read_view_trace(command.trace);
  // What cannot be planned is said before anything runs.
  for_each_copy(command, copies, [&](const TracedCopy& copy) { make_copy_program(hardware, direct_copy(copy)); });
  CopyRun run(command, hardware);
  fmt::print("{} on {}: {:.1f} GB/s peak, cycles at {:.0f} MHz\n\n", workload_name(command.trace), hardware.name,
             hardware.dram.peak_bytes_per_second() / 1e9, hardware.core_clock.megahertz());
  print_head();
  for_each_copy(command, copies, [&](const TracedCopy& copy) { run.run(copy); });
  if (command.check) fmt::print("\nCheck: {}\n", run.wrong() == 0 ? "every output bit-exact" : "FAILED, see above");
  return run.wrong() == 0 ? 0 : 1;
}

}  // namespace

void add_copy_command(CLI::App& app, int& result) {
  auto command = std::make_shared<CopyCommand>();
  CLI::App* sub = app.add_subcommand("copy", "Copy between views of tensors in blocked layouts, and measure it");
  add_file_argument(*sub, Shipped::kChip, command->hardware)->required();
  add_file_argument(*sub, Shipped::kCopies, command->trace)->required();
  sub->add_flag("--check", command->check, "carry random bytes and compare the outputs byte by byte");
  sub->add_flag("--via-plain", command->via_plain, "also by the usual three steps: reorder to plain, copy, reorder");
  sub->add_flag("--all-ways", command->all_ways,
                "also every way that was weighed, with its predicted and measured time");
  sub->callback([command, &result] { result = run(*command); });
}

}  // namespace tilewright
