// Reading the files that tests compare with.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tilewright::testing_support {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path << " cannot be read";
  return (std::ostringstream() << file.rdbuf()).str();
}

}  // namespace tilewright::testing_support
