// The sections of resolve(), and what they share: values with defaults and limits, problems with the line of their key.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "sim/base/yaml_reader.h"
#include "sim/hw/config/hardware.h"
#include "sim/hw/config/hardware_config.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {

class Checker {
 public:
  explicit Checker(const HardwareConfig& config) : lines_(config.lines), problems_(config.problems) {}

  // The line is that of `path` or, when it is absent, of the closest mapping around it.
  // Only the first problem of a value and of the mapping around it is kept: the others are its consequences.
  void problem(const std::string& path, const std::string& what) {
    const std::string own = within_ + path, &place = written(own) ? own : path;
    if (!known_wrong(place)) problems_.add(line_of(place), place, what);
  }
  // Problems of the sections from now on are those of the section `path`, as far as it has their keys.
  void look_within(const std::string& path) { within_ = path.empty() ? "" : path + "."; }
  bool written(const std::string& path) const { return lines_.contains(path); }
  template <typename T>
  void expected(const std::string& path, const T& got, const std::string& what) {
    problem(path, fmt::format("got '{}', expected {}", got, what));
  }
  void check() const { problems_.check(); }

  void missing(const std::string& path) { problem(path, fmt::format("missing, expected {}", hardware_domain(path))); }
  // 1 for an absent or wrong value, so that later checks can go on.
  template <typename T>
  T required(const std::string& path, const Opt<T>& written) {
    if (!written) missing(path);
    return written.value_or(1);
  }
  template <typename T>
  T power_of_two(const std::string& path, T value) {
    bool good = value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
    if (!good) expected(path, value, "a power of two");
    return good ? value : 1;
  }
  // Rounded once to whole picoseconds.
  static Clock clock(const Opt<double>& megahertz, double fallback) {
    return Clock{std::llround(1e6 / megahertz.value_or(fallback))};
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
  std::string within_;
};

// A buffer, by the path of its key, and a block of the array in it: what that holds at one time. While one is computed
// the next must find room.
struct BufferNeed {
  const char* path;
  Bytes capacity, block;
};
std::array<BufferNeed, 3> needs_of(const CoreSpec& core);

// Each reports its problems to the checker and returns values that later parts can use.
CoreSpec resolve_core(const CoreConfig& config, Checker& checker);
ClusterMemorySpec resolve_cluster_memory(const ClusterMemoryConfig& config, Checker& checker);
DramSpec resolve_dram(const DramConfig& config, Checker& checker);
void check_request(const char* path, Bytes value, const DramSpec& dram, Checker& checker);
// The clusters of `hw` that the file lists, one kind or more, and what is common to them. A file may give kinds every
// key of its core and of its memory but those that a chip has once.
void resolve_kinds(const HardwareConfig& config, const DramSpec& dram, Hardware& hw, Checker& checker);
// Hardware::core and cluster_memory of a chip whose clusters differ.
void count_on_what_all_have(Hardware& hw);
// Needs the counts of clusters and channels.
NetworkSpec resolve_network(const NetworkConfig& config, const Clock& core_clock, int clusters, int channels,
                            Checker& checker);

}  // namespace tilewright
