// Runs a copy job on the simulated chip and measures it; with values, compares the output byte by byte.
#pragma once

#include <optional>

#include "planner/passes/copy/copy_program.h"
#include "sim/session.h"

namespace tilewright {

struct CopyMeasurement {
  Picoseconds time = 0;
  Cycles cycles = 0;
  Bytes dram_read = 0, dram_write = 0;      // bursts as transferred; instructions included
  std::int64_t boxes = 0, runs = 0;         // over all passes; runs: neighbours on both sides inside the boxes
  std::optional<std::int64_t> wrong_bytes;  // of the output's memory, with values
};

// The job with the fastest of copy_tilings() for each pass, by runs of the whole job.
CopyJob with_fastest_tilings(Session& session, CopyJob job);

// The share of the chip's DRAM bandwidth that the copy can use at most: while the region that it needs most is busy,
// the others may have nothing left to move.
double placement_limit(const Hardware& hardware, const TracedCopy& copy, const CopyBound& bound);

// `copy` is what the job has to achieve. With `check` the run carries random bytes, and the whole memory of the output,
// what the copy leaves alone included, is compared with an element-by-element copy.
CopyMeasurement measure_copy(Session& session, const CopyJob& job, const TracedCopy& copy, bool check);

}  // namespace tilewright
