#include "sim/base/statistics_by_name.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace tilewright {
namespace {

TEST(StatisticsByName, FindsWhatLookingThroughAllOfThemFinds) {
  Statistics statistics;
  for (int core = 0; core < 100; ++core)
    statistics.add("core" + std::to_string(core) + ".busy_cycles", "cycles", "", 3 * core);
  const StatisticsByName by_name(statistics);
  for (const Statistic& s : statistics.all()) EXPECT_EQ(by_name.at(s.name), statistics.at(s.name)) << s.name;
  EXPECT_THROW(by_name.at("core100.busy_cycles"), InternalError);
}

}  // namespace
}  // namespace tilewright
