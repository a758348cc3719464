// Our network beside BookSim 2: the same synthetic traffic on the same topologies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "validation/noc_traffic.h"
#include "validation/report.h"

namespace tilewright {

// A row of noc.csv: BookSim 2 (commit 28f43299) on meshes and rings.
struct NocReferenceRow {
  std::string topology;  // "mesh4x4", "ring4" ...
  int nodes = 0, link_cycles = 1;
  std::string packet, traffic;
  double offered = 0;            // flits (request-reply: transactions) per terminal and cycle
  bool throughput = false;       // offered above saturation: only `accepted` means something
  bool partly_unstable = false;  // at saturation; shown, not judged
  double latency = 0, accepted = 0;
  double zero_load = 0;   // mean over the packets sent; 0 when not given
  double saturation = 0;  // highest offered load found stable
  std::string name() const;
};

// How near its saturation a row's latency was measured.
enum class NocLoad { kToSixty, kToNinety, kSaturated };
NocLoad load_of(const NocReferenceRow& row);
std::string_view name_of(NocLoad load);  // "to 60 % of saturation" ...

// Throws UserError(file:line, ...) on a file that is not such a table.
std::vector<NocReferenceRow> read_noc_reference(const std::string& path);

struct NocEffort {
  Cycles warm_up = 5000, measured = 30000;  // networks above 16 terminals: a fifth
  std::uint64_t seed = 1;
};

// The network and the traffic of one row. UserError when the row names something we do not know.
NetworkSpec noc_spec_of(const NocReferenceRow& row);
NocTraffic noc_traffic_of(const NocReferenceRow& row);
// `group_flits` as network.router.group_flits of a chip.
NocMeasure measure_noc(const NocReferenceRow& row, const NocEffort& effort, int group_flits = 1);

// Every row of the table at `path`. Judged at 10 %: mean latency up to 60 % of the saturation load, throughput above
// it. Latencies between 60 % and 100 % are shown without judgement: there they grow without bound. Rows of longer
// packets once more in groups of kChipGroupFlits, which is how chips use the network.
inline constexpr int kChipGroupFlits = 16;  // default of network.router.group_flits
ValidationReport validate_noc(const std::string& path, const NocEffort& effort);

}  // namespace tilewright
