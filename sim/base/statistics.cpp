#include "sim/base/statistics.h"

#include <algorithm>

#include "sim/base/error.h"

namespace tilewright {

void Statistics::add(std::string name, std::string unit, std::string description, double value) {
  all_.push_back({std::move(name), std::move(unit), std::move(description), value});
}

double Statistics::at(const std::string& name) const {
  auto found = std::find_if(all_.begin(), all_.end(), [&](const Statistic& s) { return s.name == name; });
  SIM_CHECK(found != all_.end(), "no statistic named '{}'", name);
  return found->value;
}

double Statistics::sum(const std::string& suffix) const {
  double total = 0;
  for (const Statistic& s : all_)
    if (s.name.size() > suffix.size() && s.name.ends_with(suffix) && s.name[s.name.size() - suffix.size() - 1] == '.')
      total += s.value;
  return total;
}

Statistics operator-(const Statistics& later, const Statistics& earlier) {
  SIM_CHECK(later.all().size() == earlier.all().size(), "statistics of different runs");
  Statistics difference;
  for (std::size_t i = 0; i < later.all().size(); ++i) {
    const Statistic& s = later.all()[i];
    SIM_CHECK(s.name == earlier.all()[i].name, "statistics '{}' and '{}' differ", s.name, earlier.all()[i].name);
    difference.add(s.name, s.unit, s.description, s.value - earlier.all()[i].value);
  }
  return difference;
}

}  // namespace tilewright
