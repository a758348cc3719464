// The rows of noc.csv: BookSim 2 (commit 28f43299) on meshes and rings.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

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
};

// Throws UserError(file:line, ...) on a file that is not such a table.
std::vector<NocReferenceRow> read_noc_reference(const std::string& path);

}  // namespace tilewright
