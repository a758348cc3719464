// What a run found, as values: made by make_report(), printed by text.h, written by to_json() and operators_csv().
// Every ratio here is derived from counted figures, and make_report() refuses one above its physical limit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/cause.h"
#include "sim/base/data_type.h"
#include "sim/base/event.h"
#include "sim/base/units.h"

namespace tilewright {

// Where the time of a core's matmul unit goes; the phases of one core add up to the run's time. The vector unit works
// beside it: while the matmul unit has no instruction at hand (idle), it may well be busy.
enum class CorePhase : std::uint8_t { kCompute, kWaitA, kWaitB, kWaitAccumulator, kWaitToken, kIdle };
inline constexpr int kCorePhaseCount = 6;
std::string_view name_of(CorePhase phase);  // "compute", "wait_a", ... as in summary.json

using PhaseShares = std::array<double, kCorePhaseCount>;  // each in [0, 1], together 1

// Where a core's time goes, every wait followed to what it is for (docs/stalls.md); by Cause, each in [0, 1],
// together 1.
using CauseShares = std::array<double, kCauseCount>;

// What a run takes on a changed chip (--what-if).
struct WhatIfReport {
  std::string change;  // as it was asked for
  // What the account of this run says: the share of the causes that the change acts on, as far as it takes them away.
  // Empty where the change acts on no single cause.
  std::optional<double> account;
  std::optional<Picoseconds> same_program;   // empty: the changed chip cannot run it
  std::optional<Picoseconds> planned_again;  // empty: there is no plan, or it cannot be planned
  std::string trouble;                       // why not, in the words of what refused
};

struct OperatorReport {
  std::string name;
  std::string kind;                // ONNX's name; empty for an instruction program
  std::string split;               // who computes it, for people
  std::string tiling;              // of the first core; empty where there is none
  Picoseconds begin = 0, end = 0;  // both 0: no instruction of its own (fused, or a renaming)
  bool ran = false;
  std::int64_t macs = 0;
  Bytes dram_read = 0, dram_written = 0;
  MemoryTraffic traffic;             // of the cores, by how far it goes
  Bytes exchanged = 0;               // read by a core and written by another one during the run
  int cores = 0;                     // that have a part of it
  double utilisation = 0;            // of all matmul units while the operator ran
  double picojoules = 0;             // dynamic
  std::optional<Picoseconds> bound;  // roofline
};

struct DramReport {
  Bytes read = 0, written = 0;
  Bytes shared = 0;  // of reads that another reader's answer served: network.combined_reads, network.multicast
  double bytes_per_second = 0, peak_bytes_per_second = 0;
  std::int64_t row_hits = 0, row_misses = 0, row_conflicts = 0;
  double mean_read_latency_ns = 0;

  double share_of_peak() const { return bytes_per_second / peak_bytes_per_second; }
  // Share of the accesses that found their row open.
  double hit_rate() const;
};

struct EnergyShare {
  std::string component;  // as in sim/base/event.h, and "static"
  double picojoules = 0;
};

// One operator's output, compared with the reference computation on the values it really had (--check).
struct CheckedOutput {
  std::string name;          // of the operator
  double largest_error = 0;  // largest absolute difference over the largest magnitude of the reference
  double tolerance = 0;
  bool ok = false;
};

// Operators that were computed together (planner/ir/group.h).
struct GroupReport {
  std::vector<std::string> operators;
  // Of a block: of the last result; of the first one at a time, 0 where rows are those of images.
  std::int64_t rows = 0, columns = 0;
  Bytes kept = 0;  // results between them that were neither written to DRAM nor read from there
};

// A result between operators that stayed in cluster memory.
struct StoreReport {
  std::string tensor, store;    // name; "cluster", "cluster1"
  Bytes bytes = 0;              // of the tensor
  Bytes written = 0, read = 0;  // by all cores: what DRAM neither took nor gave
};

// A network of blocks that repeat, from a run of the first ones: its figures are those of all of them, and of what
// stands around them.
struct RepeatReport {
  std::int64_t layers = 0, simulated_layers = 0;
  Picoseconds second_block = 0, third_block = 0;  // from the end of the block before; 0: there is none
  double tolerance = 0;                           // of their difference, as a share
  Picoseconds time = 0;
  double picojoules = 0;
  Bytes dram_read = 0, dram_written = 0;
  std::int64_t multiply_adds = 0;

  bool is_part() const { return simulated_layers < layers; }
};

// A step of a language model, all its blocks; docs/language_models.md.
struct LanguageReport : RepeatReport {
  std::string family, phase;  // "prefill" or "decode"
  std::int64_t batch = 0, context = 0, new_tokens = 0;
  std::int64_t tokens = 0;          // that the step computes
  Bytes weights = 0, cache = 0;     // of the whole model, when the step is done
  Bytes memory = 0;                 // of the chip
  Bytes step_bytes = 0;             // of weights and cache that the step reads and writes at least
  Picoseconds bandwidth_bound = 0;  // of these at the DRAM's peak
  Picoseconds compute_bound = 0;    // of the multiply-adds at the matmul units' peak

  bool decodes() const { return phase == "decode"; }
  bool fits() const { return weights + cache <= memory; }
  Picoseconds bound() const { return bandwidth_bound > compute_bound ? bandwidth_bound : compute_bound; }
  double tokens_per_second() const { return static_cast<double>(tokens) / (static_cast<double>(time) * 1e-12); }
  double picojoules_per_token() const { return picojoules / static_cast<double>(tokens); }
};

struct Report {
  std::string hardware, workload;
  std::string type;  // element type floats are computed in; empty for an instruction program
  int cores = 0;
  Clock core_clock, dram_clock;
  Picoseconds time = 0;
  // Rooflines on this chip: of the network, with what is between operators for free, and the operators' together.
  std::optional<Picoseconds> network_bound, bound;
  std::optional<Bytes> compulsory_bytes;  // weights, inputs and outputs once

  std::vector<PhaseShares> core_time;    // by core
  PhaseShares mean_time{};               // over the cores
  std::vector<CauseShares> core_causes;  // by core
  CauseShares mean_causes{};             // over the cores
  std::vector<double> vector_busy;       // by core: share of the time in which the vector unit works
  std::int64_t macs = 0;
  double utilisation = 0;         // MACs over what all matmul units could do in the time
  double mapping_efficiency = 0;  // the same, only over the time in which they computed

  DramReport dram;
  MemoryTraffic traffic;      // sums over the operators
  Bytes peers = 0;            // moved to and from buffers of other cores and memory of other clusters
  Bytes constant_copies = 0;  // DRAM that further copies of constants take
  Bytes exchanged = 0;
  double cores_busy = 0;            // cores with a part of the operators that ran, mean over the operators' time
  std::vector<EnergyShare> energy;  // adds up to picojoules
  double picojoules = 0;
  std::int64_t instructions = 0;

  // Shares of the workload that the simulation covers, in [0, 1].
  double modelled_macs = 1, modelled_bytes = 1;
  std::string bottleneck;             // the largest cause, in one sentence
  std::string first_change;           // as --what-if takes it: what acts on that cause; empty: no key of the chip does
  std::vector<std::string> warnings;  // of a chip that works against itself, each with the key to change
  std::vector<WhatIfReport> what_if;
  std::vector<OperatorReport> operators;
  std::vector<GroupReport> groups;
  std::vector<StoreReport> stores;
  std::optional<std::vector<CheckedOutput>> checked;
  std::int64_t checked_by_readers = 0;  // operators besides, compared by what was computed from their results
  std::optional<RepeatReport> repeat;   // of a graph of which the first blocks were simulated
  std::optional<LanguageReport> language;

  Cycles cycles() const { return core_clock.ceil(time); }
  // Of the run's time, when it takes `changed`; below 0: a loss.
  double gain(Picoseconds changed) const {
    return time == 0 ? 0 : 1 - static_cast<double>(changed) / static_cast<double>(time);
  }
  bool check_ok() const;  // true when nothing was checked
};

// Stops (InternalError) at a figure that no run can have: negative, infinite or not a number. Every printer calls it.
void check_figures(const Report& report);

// A report as the files of a result folder; docs/output.md explains every key.
//
// summary.json; the version grows when a key changes its meaning.
inline constexpr int kSummarySchemaVersion = 1;
std::string to_json(const Report& report);

// operators.csv, one row per operator that ran: cycles of the core clock; fields quoted as RFC 4180 says.
std::string operators_csv(const Report& report);

}  // namespace tilewright
