// A finished study as results.json and results.csv.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/report/run/result_folder.h"
#include "planner/search/study/study_points.h"

namespace tilewright {

// Points that no other point of the study beats in all objectives: measured with every workload, ascending.
std::vector<std::int64_t> pareto_points(const Study& study, const PointResults& results);

// The commands that measure a point again, one by one.
std::vector<std::string> commands_of(const Study& study, std::int64_t point);

// results.json and results.csv: the same bytes whoever measured which point in which order.
ResultFiles study_results(const Study& study, const PointResults& results);

// Writes both files into a folder, each as a whole.
void write_study_results(const std::string& folder, const Study& study, const PointResults& results);

// How many points there are, and a table of the Pareto points, for people.
std::string study_text(const Study& study, const PointResults& results);

}  // namespace tilewright
