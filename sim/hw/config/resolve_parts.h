// The sections of resolve(), and what they share: values with defaults and limits, problems with the line of their key.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "sim/base/yaml_reader.h"
#include "sim/hw/config/hardware.h"
#include "sim/hw/config/hardware_config.h"

namespace tilewright {

class Checker {
 public:
  explicit Checker(const HardwareConfig& config) : lines_(config.lines), problems_(config.problems) {}

  // The line is that of `path` or, when it is absent, of the closest mapping around it.
  // Only the first problem of a value and of the mapping around it is kept: the others are its consequences.
  void problem(const std::string& path, const std::string& what) {
    if (!known_wrong(path)) problems_.add(line_of(path), path, what);
  }
  template <typename T>
  void expected(const std::string& path, const T& got, const std::string& what) {
    problem(path, fmt::format("got '{}', expected {}", got, what));
  }
  void check() const { problems_.check(); }

  template <typename T>
  T at_least(const std::string& path, const Opt<T>& written, std::type_identity_t<T> fallback,
             std::type_identity_t<T> minimum) {
    if (!written) return fallback;
    if (*written < minimum) expected(path, *written, fmt::format("{} or more", minimum));
    return *written < minimum ? minimum : *written;
  }
  // Returns the minimum for an absent or wrong value, so that later checks can go on.
  template <typename T>
  T required(const std::string& path, const Opt<T>& written, std::type_identity_t<T> minimum) {
    if (!written) problem(path, fmt::format("missing, expected {} or more", minimum));
    return at_least(path, written, minimum, minimum);
  }
  // Like at_least, with an upper limit that keeps products of such values far from overflow.
  int count(const std::string& path, const Opt<int>& written, int fallback, int maximum) {
    return at_most(path, at_least(path, written, fallback, 1), maximum);
  }
  template <typename T>
  T at_most(const std::string& path, T value, std::type_identity_t<T> maximum) {
    if (value > maximum) expected(path, value, fmt::format("at most {}", maximum));
    return std::min(value, maximum);
  }
  template <typename T>
  T power_of_two(const std::string& path, T value) {
    bool good = value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
    if (!good) expected(path, value, "a power of two");
    return good ? value : 1;
  }
  // Rounded once to whole picoseconds.
  Clock clock(const std::string& path, const Opt<double>& megahertz, double fallback) {
    double value = megahertz.value_or(fallback);
    bool good = value >= 1 && value <= 100000;
    if (!good) expected(path, value, "1 to 100000");
    return Clock{good ? std::llround(1e6 / value) : 1000};
  }

 private:
  // "a.b.c" -> "a.b" -> "a" -> "".
  static std::string around(const std::string& path) {
    std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? "" : path.substr(0, dot);
  }
  bool known_wrong(std::string path) const {
    for (; !path.empty(); path = around(path))
      if (problems_.has(path)) return true;
    return false;
  }
  int line_of(std::string path) const {
    for (; !path.empty(); path = around(path))
      if (auto found = lines_.find(path); found != lines_.end()) return found->second;
    return 1;
  }

  const std::map<std::string, int>& lines_;
  FileProblems problems_;
};

// Each reports its problems to the checker and returns values that later parts can use.
CoreSpec resolve_core(const CoreConfig& config, Checker& checker);
ClusterMemorySpec resolve_cluster_memory(const ClusterMemoryConfig& config, Checker& checker);
DramSpec resolve_dram(const DramConfig& config, Checker& checker);
// Needs the counts of clusters and channels.
NetworkSpec resolve_network(const NetworkConfig& config, const Clock& core_clock, int clusters, int channels,
                            Checker& checker);

}  // namespace tilewright
