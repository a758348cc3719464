#include "sim/model/waveform.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "sim/base/error.h"
#include "sim/model/kernel/chip_module.h"

namespace tilewright {
namespace {

constexpr std::string_view kSuffix = ".vcd";

void check_writable(const std::string& path) {
  if (!std::ofstream(path)) throw UserError(path, "cannot write the waveform");
}

// The library writes the time of day into the file; equal runs make equal files.
void blank_date(const std::string& path) {
  constexpr std::string_view kBegin = "$date", kEnd = "$end";
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  std::string head(4096, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  file.clear();
  const std::size_t begin = head.find(kBegin), end = head.find(kEnd, begin);
  if (begin == std::string::npos || end == std::string::npos) return;
  for (std::size_t at = begin + kBegin.size(); at < end; ++at) {
    if (head[at] == '\n') continue;
    file.seekp(static_cast<std::streamoff>(at));
    file.put(' ');
  }
}

}  // namespace

Waveform::Waveform(sc_core::sc_module_name name, const std::string& path, const WaveformWindow& window,
                   ChipModule& root)
    : sc_module(name), path_(path), window_(window) {
  SIM_CHECK(path.ends_with(kSuffix), "waveform '{}'", path);
  SIM_CHECK(sc_core::sc_get_status() == sc_core::SC_ELABORATION, "a waveform begins with the kernel");
  check_writable(path);
  file_ = sc_core::sc_create_vcd_trace_file(path.substr(0, path.size() - kSuffix.size()).c_str());
  file_->set_time_unit(1, sc_core::SC_PS);
  connect(root);
  SC_HAS_PROCESS(Waveform);
  SC_METHOD(sample);
  sensitive << settled_;
}

// The library writes what a moment changed when it leaves that moment.
void Waveform::close() {
  if (!file_) return;
  sc_core::sc_start(1, sc_core::SC_PS);
  sc_core::sc_close_vcd_trace_file(std::exchange(file_, nullptr));
  blank_date(path_);
}

void Waveform::connect(ChipModule& root) {
  std::vector<const sc_core::sc_event*> activity;
  for_each_module(root, [&](ChipModule& module) {
    module.add_activity(activity);
    Probes probes;
    module.add_probes(probes);
    for (Probe& probe : probes) {
      const std::string name = std::string(module.name()) + "." + probe.name;
      // A vector of whole words shifts by a whole word inside the library, which is undefined.
      const int bits = probe.bits % 32 == 0 ? probe.bits + 1 : probe.bits;
      signals_.push_back({std::move(probe), 0, sc_dt::sc_lv_base(bits)});
      sc_core::sc_trace(file_, signals_.back().value, name);
    }
  });
  SC_HAS_PROCESS(Waveform);
  SC_METHOD(noticed);
  dont_initialize();
  for (const sc_core::sc_event* event : activity) sensitive << *event;
}

// What happens in this delta has settled in the next.
void Waveform::noticed() {
  if (file_) settled_.notify(sc_core::SC_ZERO_TIME);
}

void Waveform::sample() {
  const Picoseconds now = kernel_now();
  if (now < window_.from || now > window_.to) return;
  for (Signal& signal : signals_) {
    const std::uint64_t value = signal.probe.read();
    if (sampled_ && value == signal.last) continue;
    signal.last = value;
    signal.value = static_cast<sc_dt::uint64>(value);
  }
  sampled_ = true;
}

}  // namespace tilewright
