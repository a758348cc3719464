#include "cli/program_path.h"

#include <filesystem>

namespace tilewright {

std::string program_path() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace tilewright
