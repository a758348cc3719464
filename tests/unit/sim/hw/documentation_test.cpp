// docs/hardware.md names exactly the keys that the reader knows, and the defaults that resolve() fills in.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>

#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

const char* const kMinimal = R"(
name: minimal
core:
  frequency_mhz: 1000
  buffer_a_kib: 64
  buffer_b_kib: 64
  accumulator_kib: 64
  matmul: {rows: 8, columns: 8}
  vector: {lanes: 8}
cluster_memory: {capacity_kib: 512}
network: {topology: simple}
dram: {preset: DDR4_2400U, channels: 1}
)";

// The chip that the page begins with: its indented lines.
TEST(Documentation, TheFirstExampleIsAWholeFile) {
  std::ifstream file(TILEWRIGHT_SOURCE_DIR "/docs/hardware.md");
  std::string text, line;
  while (std::getline(file, line) && line.rfind("In the tables", 0) != 0)
    if (line.rfind("    ", 0) == 0) text += line.substr(4) + "\n";
  const Hardware hardware = load_hardware_text(text, "docs/hardware.md");
  EXPECT_EQ(hardware.name, "my_chip");
  EXPECT_EQ(hardware.cores(), 4);
}

// Default column by key; a section's heading counts as a key without a default.
std::map<std::string, std::string> documented() {
  static const std::regex heading("^##+ `([a-zA-Z0-9_.]+)`.*");
  static const std::regex row("^\\| `([a-zA-Z0-9_.]+)` \\|[^|]*\\| ([^|]*) \\|.*");
  std::map<std::string, std::string> keys;
  std::ifstream file(TILEWRIGHT_SOURCE_DIR "/docs/hardware.md");
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (std::regex_match(line, match, heading)) {
      EXPECT_TRUE(keys.emplace(match[1], "").second) << line;
    }
    if (std::regex_match(line, match, row)) {
      EXPECT_TRUE(keys.emplace(match[1], match[2]).second) << line;
    }
  }
  return keys;
}

// "a: {b: 1}" of the resolved text -> {"a.b": "1"}.
std::map<std::string, std::string> resolved_values() {
  std::map<std::string, std::string> values;
  std::vector<std::string> path;
  std::stringstream text(to_yaml(load_hardware_text(kMinimal, "minimal")));
  for (std::string line; std::getline(text, line);) {
    std::size_t depth = line.find_first_not_of(' ') / 2, colon = line.find(':');
    path.resize(depth);
    path.push_back(line.substr(2 * depth, colon - 2 * depth));
    std::string full;
    for (const std::string& part : path) full += (full.empty() ? "" : ".") + part;
    if (colon + 2 < line.size()) values[full] = line.substr(colon + 2);
  }
  return values;
}

TEST(HardwareDocumentation, NamesExactlyTheKnownKeys) {
  std::map<std::string, std::string> documentation = documented();
  std::set<std::string> names;
  for (const auto& [name, fallback] : documentation) names.insert(name);
  EXPECT_EQ(names, hardware_keys());
}

TEST(HardwareDocumentation, StatesTheDefaultsThatAreUsed) {
  std::map<std::string, std::string> values = resolved_values();
  int compared = 0;
  for (const auto& [key, fallback] : documented()) {
    if (fallback.size() < 2 || fallback.front() != '`') continue;
    EXPECT_EQ(values[key], fallback.substr(1, fallback.size() - 2)) << key;
    ++compared;
  }
  EXPECT_GT(compared, 60);
}

TEST(HardwareDocumentation, RequiredKeysAreReportedWhenMissing) {
  std::string message;
  try {
    load_hardware_text("network: {topology: mesh}\ncluster_memory: {}\n", "empty");
  } catch (const UserError& error) {
    message = error.what();
  }
  for (const auto& [key, fallback] : documented()) {
    bool required = fallback == "*required*" && key != "network.topology" && key != "dram.channels";
    if (required) {
      EXPECT_NE(message.find(" " + key + ": missing"), std::string::npos) << key << "\n" << message;
    }
  }
}

}  // namespace
}  // namespace tilewright
