#include "sim/base/statistics_by_name.h"

#include "sim/base/error.h"

namespace tilewright {

StatisticsByName::StatisticsByName(const Statistics& statistics) {
  for (const Statistic& s : statistics.all()) values_.emplace(s.name, s.value);
}

double StatisticsByName::at(const std::string& name) const {
  const auto found = values_.find(name);
  SIM_CHECK(found != values_.end(), "no statistic named '{}'", name);
  return found->second;
}

}  // namespace tilewright
