// Programs that copy: tiles of the boxes of plan_copy(), distributed over the cores, double-buffered through buffer A.
#pragma once

#include <string>
#include <vector>

#include "planner/emit/copy/copy_job.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

struct CopyProgram {
  Program program;                          // operator i + 1 is pass i
  std::vector<std::vector<CopyBox>> boxes;  // of each pass, of at most five loops
};

// UserError when a tensor has no room in DRAM, or a view or layout cannot be copied.
CopyProgram make_copy_program(const Hardware& hardware, const CopyJob& job);

// The segments that hold a tensor's memory, in order, with the places (elements) each begins at.
struct CopyPiece {
  std::string segment;
  std::int64_t begin, end;
};
std::vector<CopyPiece> pieces_of(const Hardware& hardware, const CopyTensor& tensor, DataType type);

}  // namespace tilewright
