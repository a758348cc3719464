// Finds figures by name where many are asked for: `Statistics::at` looks through all of them each time.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "sim/base/statistics.h"

namespace tilewright {

class StatisticsByName {
 public:
  // `statistics` outlives this and keeps its figures meanwhile.
  explicit StatisticsByName(const Statistics& statistics);
  // The value, or InternalError when there is no such statistic.
  double at(const std::string& name) const;

 private:
  std::unordered_map<std::string_view, double> values_;
};

}  // namespace tilewright
