// Cases in one text file: after a line "== NAME" the lines of that case, up to the next; a blank line parts them. What
// stands above the first case is for the reader.
#pragma once

#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "tests/support/files.h"

namespace tilewright::testing_support {

inline std::map<std::string, std::string> case_table(const std::filesystem::path& path) {
  std::map<std::string, std::string> cases;
  std::string* body = nullptr;
  std::istringstream text(read_file(path));
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("== ")) {
      const auto [at, fresh] = cases.try_emplace(line.substr(3));
      EXPECT_TRUE(fresh) << path << ": two cases '" << line.substr(3) << "'";
      body = &at->second;
    } else if (body != nullptr) {
      *body += line + "\n";
    }
  }
  for (auto& [name, lines] : cases)
    if (lines == "\n" || lines.ends_with("\n\n")) lines.pop_back();
  return cases;
}

}  // namespace tilewright::testing_support
