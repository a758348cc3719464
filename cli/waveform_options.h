// --waveform, --from and --to of the commands that simulate one program.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "sim/session.h"

namespace tilewright {

struct WaveformArguments {
  std::string path;
  std::int64_t from_ns = 0;
  std::optional<std::int64_t> to_ns;
};

void add_waveform_arguments(CLI::App& command, WaveformArguments& arguments);

// Nothing when no waveform is asked for. UserError for a file that is not named *.vcd and for a window that ends before
// it begins.
std::optional<WaveformOptions> waveform_of(const WaveformArguments& arguments);

}  // namespace tilewright
