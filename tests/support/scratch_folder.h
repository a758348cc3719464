// Where a test may write.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace tilewright::testing_support {

// A folder of its own, gone at the end of the test.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / ("tilewright_" + name + "_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tilewright::testing_support
