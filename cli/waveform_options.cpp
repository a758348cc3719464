#include "cli/waveform_options.h"

#include <fmt/format.h>

#include "cli/workload_options.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr Picoseconds kNanosecond = 1000;

}  // namespace

void add_waveform_arguments(CLI::App& command, WaveformArguments& arguments) {
  CLI::Option* waveform = command
                              .add_option("--waveform", arguments.path,
                                          "write queue fill, buffer occupancy and unit state over time, for GTKWave")
                              ->type_name("FILE.vcd");
  const CLI::Range time(std::int64_t{0}, kNever / kNanosecond);
  command.add_option("--from", arguments.from_ns, "write changes from this time on, from launch")
      ->type_name("NS")
      ->check(time)
      ->needs(waveform);
  command.add_option("--to", arguments.to_ns, "write changes up to this time")
      ->type_name("NS")
      ->check(time)
      ->needs(waveform);
}

std::optional<WaveformOptions> waveform_of(const WaveformArguments& arguments) {
  if (arguments.path.empty()) return std::nullopt;
  if (!arguments.path.ends_with(".vcd"))
    throw UserError("--waveform", fmt::format("got '{}', expected a file named *.vcd", arguments.path));
  WaveformOptions options{arguments.path, arguments.from_ns * kNanosecond};
  if (!arguments.to_ns) return options;
  if (*arguments.to_ns < arguments.from_ns)
    throw UserError("--to", fmt::format("got {}, expected at least {} (--from)", *arguments.to_ns, arguments.from_ns));
  options.to = *arguments.to_ns * kNanosecond;
  return options;
}

}  // namespace tilewright
