// What stands at a path that somebody gave us. A name that the system refuses (too long, in a folder that may not be
// read) is nothing, not an exception.
#pragma once

#include <filesystem>

namespace tilewright {

inline bool is_file(const std::filesystem::path& path) {
  std::error_code refused;
  return std::filesystem::is_regular_file(path, refused);
}

inline bool is_folder(const std::filesystem::path& path) {
  std::error_code refused;
  return std::filesystem::is_directory(path, refused);
}

inline bool is_there(const std::filesystem::path& path) {
  std::error_code refused;
  return std::filesystem::exists(path, refused);
}

}  // namespace tilewright
