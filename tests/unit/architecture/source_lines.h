// Every line of the program's sources, for tests that read them.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace tilewright {

struct SourceLine {
  std::string file;  // from the root: "sim/hw/config/hardware.h"
  int number = 0;    // from 1
  std::string text;
  bool in_header() const { return file.ends_with(".h"); }
};

inline void add_lines(const std::filesystem::path& root, const std::filesystem::path& path,
                      std::vector<SourceLine>& lines) {
  const std::string name = std::filesystem::relative(path, root).string();
  std::ifstream file(path);
  int number = 0;
  for (std::string line; std::getline(file, line);) lines.push_back({name, ++number, line});
}

// Of all headers and sources of the program, file by file.
inline std::vector<SourceLine> source_lines() {
  const std::filesystem::path root = TILEWRIGHT_SOURCE_DIR;
  std::vector<SourceLine> lines;
  for (const char* top : {"sim", "planner", "validation", "cli", "python"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top))
      if (entry.path().extension() == ".h" || entry.path().extension() == ".cpp") add_lines(root, entry.path(), lines);
  return lines;
}

}  // namespace tilewright
