// Our network beside BookSim 2: the same synthetic traffic on the same topologies.
#pragma once

#include <string>

#include "cli/validate/noc_reference.h"
#include "cli/validate/noc_traffic.h"
#include "cli/validate/report.h"

namespace tilewright {

struct NocEffort {
  Cycles warm_up = 5000, measured = 30000;  // networks above 16 terminals: a fifth
  std::uint64_t seed = 1;
};

// The network and the traffic of one row. UserError when the row names something we do not know.
NetworkSpec noc_spec_of(const NocReferenceRow& row);
NocTraffic noc_traffic_of(const NocReferenceRow& row);
NocMeasure measure_noc(const NocReferenceRow& row, const NocEffort& effort);

// Every row of the table at `path`. Judged at 10 %: mean latency up to 60 % of the saturation load, throughput above
// it. Latencies between 60 % and 100 % are shown without judgement: there they grow without bound.
ValidationReport validate_noc(const std::string& path, const NocEffort& effort);

}  // namespace tilewright
