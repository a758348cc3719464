#include "cli/program_path.h"

#include <filesystem>

namespace tilewright {
namespace {

std::string& given_path() {
  static std::string path;
  return path;
}

}  // namespace

std::string program_path() {
  return given_path().empty() ? std::filesystem::read_symlink("/proc/self/exe").string() : given_path();
}

void set_program_path(const std::string& path) { given_path() = path; }

}  // namespace tilewright
