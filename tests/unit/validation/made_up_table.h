// Tables of measurements made up by hand: figures of no chip.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tilewright {

// Its path.
inline std::string made_up_table(const std::string& name, const std::string& text) {
  const std::string path = (std::filesystem::path(testing::TempDir()) / name).string();
  std::ofstream(path) << text;
  return path;
}

}  // namespace tilewright
