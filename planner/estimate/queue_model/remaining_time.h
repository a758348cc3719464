// The least time that the rest of a program takes, so that one that cannot end before a limit is given up long before
// it: what is left to the matmul and vector units of a core, and what has yet to pass DRAM and the ports of a cluster,
// each at its peak.
#pragma once

#include <array>
#include <vector>

#include "planner/estimate/queue_model/calendar.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/chip_map.h"
#include "sim/isa/program.h"
#include "sim/machine/core/run_record.h"
#include "sim/machine/port/memory_port.h"

namespace tilewright {

// Stands in the cores' way to memory, to see what has left them. Where one answer serves several requests, or a
// cluster's cache answers them, bytes say nothing.
class RemainingTime final : public SpanSink, public MemoryPath {
 public:
  // Stops the calendar once the program takes more than `most` core clocks. All outlive it.
  RemainingTime(const Hardware& hardware, const Program& program, double most, MemoryPath& memory, Calendar& calendar);

  // Core clocks that the program takes at least, as is known by now.
  double least() const { return least_; }
  bool too_long() const { return least_ > most_; }

  void span(int core, Unit unit, std::string_view name, Picoseconds begin, Picoseconds end, int op) override;
  void send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) override;

 private:
  struct UnitWork {
    std::vector<double> left;  // from each instruction on, and 0 behind the last
    std::size_t done = 0;      // instructions that have completed
  };
  using CoreWork = std::array<UnitWork, kUnitCount>;  // of the matmul and vector units
  struct Traffic {
    double in = 0, out = 0;
  };

  double time_of(const CoreSpec& core, const Instruction& instruction);
  void add(const Transfer& transfer, int cluster);
  void consider_memory(int cluster, double now);
  void consider(double end);

  const Hardware& hardware_;
  const ChipMap map_;
  const double period_, most_;
  const double dram_rate_, cluster_rate_;  // bytes per core clock
  const bool counts_bytes_;
  MemoryPath& memory_;
  Calendar& calendar_;
  double drain_ = 0;  // longest from an instruction's last step in the array to its completion
  std::vector<CoreWork> cores_;
  std::vector<Traffic> clusters_;  // bytes of DRAM that no request has asked for yet
  double bytes_ = 0;               // all of them
  double least_ = 0;
};

}  // namespace tilewright
