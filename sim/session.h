// The only door to the simulated chip: elaborate once, run many programs.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/cause.h"
#include "sim/base/event.h"
#include "sim/base/statistics.h"
#include "sim/base/units.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

// Receives what each unit did, as it happens. Names are stable for the life of the session.
class TraceListener {
 public:
  virtual ~TraceListener() = default;
  // `lane` is e.g. "core 3/matmul"; `name` the mnemonic or kind of span.
  virtual void span(const std::string& lane, std::string_view name, Picoseconds begin, Picoseconds end, int op) = 0;
};

// Initial bytes of a DRAM segment.
struct SegmentData {
  std::string segment;
  std::vector<std::byte> bytes;
};

// Bytes of a cluster's addressed memory.
struct ClusterBytes {
  std::string name;
  int cluster = 0;
  Address address = 0;
  Bytes bytes = 0;
};

// Queue fill, buffer occupancy and unit state over time, as a VCD file.
struct WaveformOptions {
  std::string path;                   // ends in .vcd
  Picoseconds from = 0, to = kNever;  // from launch, both inclusive; nothing changes in the file outside
};

struct RunOptions {
  bool values = false;                           // carry real numbers; timing is the same either way
  std::vector<SegmentData> initial;              // with values; segments not named start as zero
  std::vector<std::string> keep;                 // with values; segments whose final bytes are returned
  std::vector<ClusterBytes> keep_of_clusters{};  // the same for cluster memory, behind the segments
  bool causes = false;                           // follow waits to their causes: RunResult::causes
  TraceListener* trace = nullptr;
  std::optional<WaveformOptions> waveform;  // only in the first run of a process
};

struct OperatorResult {
  Picoseconds begin = kNever, end = 0;  // first start and last completion of its instructions; begin kNever: none ran
  EventCounts events{};
  MemoryTraffic traffic{};
};

struct RunResult {
  Picoseconds time = 0;                   // launch to last completion, posted writes in DRAM included
  std::vector<OperatorResult> operators;  // as Program::operators
  std::vector<CauseTimes> causes;         // with RunOptions::causes; by core of the chip
  Statistics statistics;
  std::vector<SegmentData> kept;  // as RunOptions::keep
};

// A module of the chip.
struct ModuleInfo {
  std::string name;       // path in the hierarchy, e.g. "chip.cluster0.core1.buffer_a"
  std::string kind;       // "input_buffer"
  Statistics statistics;  // names, units and descriptions; values before a run mean nothing
};

class ExternalMemory;  // sim/model/dram/tlm_bridge.h

class Session {
 public:
  // One process may hold several sessions only if all are made before any runs (a property of SystemC's kernel).
  // `memory`: what the channels of a chip with `dram: {model: tlm}` are bound to; UserError when the one comes without
  // the other. It outlives the session.
  explicit Session(const Hardware& hardware, ExternalMemory* memory = nullptr);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Hardware& hardware() const;
  // The chip and every module inside it, depth first. Before the first run.
  std::vector<ModuleInfo> modules();

  // Verifies, resets every module and executes. Throws UserError for a program that is illegal on this chip, stops
  // without end or is more work than allowed (sim/isa/work_limit.h), Stopped (sim/base/stop.h; the session runs nothing
  // more after it), InternalError for our bugs.
  RunResult run(const Program& program, const RunOptions& options = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilewright
