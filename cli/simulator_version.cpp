#include "cli/simulator_version.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/base/hash.h"

namespace tilewright {

std::string program_path() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

std::string simulator_version() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string bytes = (std::ostringstream() << file.rdbuf()).str();
  return fmt::format("{}-{:016x}", TILEWRIGHT_VERSION, fnv1a(bytes));
}

}  // namespace tilewright
