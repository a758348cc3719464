// Statistics are values: named figures with unit and description that can be copied, compared and subtracted.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

struct Statistic {
  std::string name;  // path, e.g. "core3.matmul.busy_cycles", "dram0.row_hits"
  std::string unit;  // "cycles", "bytes", "requests", ...
  std::string description;
  double value = 0;
  bool operator==(const Statistic&) const = default;
};

class Statistics {
 public:
  void add(std::string name, std::string unit, std::string description, double value);
  // The value, or InternalError when there is no such statistic.
  double at(const std::string& name) const;
  // Sum of every statistic whose path ends in `.suffix`.
  double sum(const std::string& suffix) const;
  const std::vector<Statistic>& all() const { return all_; }
  bool operator==(const Statistics&) const = default;

 private:
  std::vector<Statistic> all_;
};

// Entry by entry; both must hold the same names in the same order.
Statistics operator-(const Statistics& later, const Statistics& earlier);

}  // namespace tilewright
