// Writes the probes of modules to a VCD file by sc_trace while a program runs. Made before the kernel starts and only
// for those who look: without one, no module does anything for it.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "sim/model/kernel/chip_module.h"

namespace tilewright {

struct WaveformWindow {
  Picoseconds from = 0, to = kNever;  // kernel time, both inclusive
};

class Waveform : public sc_core::sc_module {
 public:
  // `path` ends in .vcd. Signals are named after their module and probe; before the first change in the window they are
  // unknown (x), after it they stay. UserError when the file cannot be written.
  Waveform(sc_core::sc_module_name name, const std::string& path, const WaveformWindow& window, ChipModule& root);
  ~Waveform() override { close(); }

  // Ends the file, a picosecond later. The module stays: the kernel knows its processes.
  void close();

 private:
  struct Signal {
    Probe probe;
    std::uint64_t last = 0;
    sc_dt::sc_lv_base value;  // what the file follows
  };

  void connect(ChipModule& root);
  void noticed();
  void sample();

  const std::string path_;
  const WaveformWindow window_;
  sc_core::sc_trace_file* file_ = nullptr;
  std::deque<Signal> signals_;  // the file keeps their addresses
  bool sampled_ = false;
  sc_core::sc_event settled_;
};

}  // namespace tilewright
