// From one shape to its records: the best tiling, the boundary shapes to which its cost stays linear, and how the cost
// of each of them grows. Pure: it says which queries it needs answered before it can go on.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "planner/constants/constants.h"
#include "planner/search/database/tiling_record.h"
#include "planner/search/database/tiling_seeds.h"

namespace tilewright {

struct BuildOptions {
  // Least share of the roofline bound's speed that an initial shape must reach.
  double threshold = constants().database_threshold;
  // How far cost ratio and size ratio of a linear step may differ, relative.
  double tolerance = constants().database_step_tolerance;
  std::int64_t budget = constants().database_budget;      // measurements of a search besides the planner's own tiling
  std::int64_t max_visits = constants().database_visits;  // shapes looked at per initial shape
  std::int64_t max_boundary = constants().database_boundaries;  // boundary shapes kept per initial shape
  TilingSeeds seeds;                                            // what the searches begin with
};
// All but the seeds.
std::string to_string(const BuildOptions& options);
// What the records of a shape are built with, as they say it (TilingRecord::settings).
std::string settings_of(const BuildOptions& options, const OperatorShape& shape);

using Answers = std::map<std::string, std::string>;  // by query, as kept (database_worker.h)

struct ShapeRecords {
  enum class State { kWaiting, kEntered, kBelowThreshold, kNotTiled };
  State state = State::kWaiting;
  std::vector<std::string> wanted;    // waiting: queries to answer first
  std::vector<TilingRecord> records;  // the initial one, then its boundary shapes
};

// What follows from the answers so far.
//
// A step shrinks one extent to half its rounds (or half its only round) and keeps the split, cut to what the smaller
// shape has. It is linear when the larger shape's cost, with its own tiling and with the cut one, is the ratio of their
// sizes times the smaller one's, within the tolerance. Shapes are visited once, nearest first; one with a step that is
// not linear is a boundary shape.
ShapeRecords shape_records(const OperatorShape& shape, const TilingContext& context, const BuildOptions& options,
                           const Answers& answers);

}  // namespace tilewright
