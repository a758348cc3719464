#include "sim/base/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "sim/base/error.h"
#include "sim/base/stop.h"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// Reports are about the path that the user gave, whatever file is open.
[[noreturn]] void fail(const std::string& path, const char* what) {
  throw UserError(path, fmt::format("{}: {}", what, std::strerror(errno)));
}

// Whether to try again; Ctrl-C ends what would wait.
bool was_interrupted() {
  if (errno != EINTR) return false;
  check_stop();
  return true;
}

class OpenFile {
 public:
  // A pipe waits for its other end.
  OpenFile(const std::string& path, int flags) {
    do descriptor_ = open(path.c_str(), flags | O_CLOEXEC, 0666);
    while (descriptor_ < 0 && was_interrupted());
  }
  ~OpenFile() {
    if (is_open()) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  bool set_mode(mode_t mode) { return fchmod(descriptor_, mode) == 0; }

  bool write_all(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = write(descriptor_, text.data(), text.size());
      if (written < 0 && !was_interrupted()) return false;
      text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    return true;
  }

  bool read_all(std::string& text) {
    std::array<char, 1 << 16> block;
    for (ssize_t count = 1; count != 0;) {
      count = read(descriptor_, block.data(), block.size());
      if (count < 0 && !was_interrupted()) return false;
      if (count > 0) text.append(block.data(), static_cast<std::size_t>(count));
    }
    return true;
  }

  // Pipes and devices have nothing to flush.
  bool flush() { return fsync(descriptor_) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP; }

  bool finish() { return close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_ = -1;
};

// Beside the target, on the same file system, so that a rename is one step. Deleted unless it took the target's place.
class FreshFile {
 public:
  explicit FreshFile(const fs::path& target)
      : path_((target.parent_path() / fmt::format(".{}.{}.new", target.filename().string(), getpid())).string()) {
    unlink(path_.c_str());  // left by a process of that number that was killed
  }
  ~FreshFile() {
    if (!placed_) unlink(path_.c_str());
  }
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;

  const std::string& path() const { return path_; }
  bool place(const std::string& target) { return placed_ = std::rename(path_.c_str(), target.c_str()) == 0; }

 private:
  std::string path_;
  bool placed_ = false;
};

std::optional<struct stat> status_of(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

void write_open(OpenFile& file, const std::string& path, const std::string& content) {
  if (!file.is_open() || !file.write_all(content) || !file.flush() || !file.finish()) fail(path, "cannot be written");
}

void write_through(const std::string& path, const std::string& content) {
  OpenFile file(path, O_WRONLY | O_CREAT | O_TRUNC);  // a link may point to what is not there yet
  write_open(file, path, content);
}

void replace(const std::string& path, std::optional<mode_t> mode, const std::string& content) {
  const fs::path target = fs::absolute(path);
  FreshFile fresh(target);
  OpenFile file(fresh.path(), O_WRONLY | O_CREAT | O_EXCL);
  if (file.is_open() && mode && !file.set_mode(*mode & 07777)) fail(path, "cannot be given its access rights");
  write_open(file, path, content);
  if (!fresh.place(target.string())) fail(path, "cannot be written");
  flush_folder(target.parent_path().string());
}

// The nearest folder above that exists, as the user would write it.
fs::path existing_parent(const fs::path& path) {
  std::error_code ignored;  // what cannot be asked for is not there
  fs::path parent = path.parent_path();
  while (!parent.empty() && !fs::exists(parent, ignored)) parent = parent.parent_path();
  return parent.empty() ? "." : parent;
}

}  // namespace

std::string read_text_file(const std::string& path) {
  OpenFile file(path, O_RDONLY);
  std::string text;
  if (!file.is_open() || !file.read_all(text)) fail(path, "cannot be read");
  return text;
}

void flush_folder(const std::string& folder) {
  OpenFile file(folder, O_RDONLY | O_DIRECTORY);
  if (file.is_open()) file.flush();
}

void check_parent_folder(const std::string& path) {
  const fs::path parent = existing_parent(path);
  std::error_code ignored;
  if (!fs::is_directory(parent, ignored)) throw UserError(path, parent.string() + " is no folder");
  if (access(parent.c_str(), W_OK | X_OK) != 0) throw UserError(path, "no right to write into " + parent.string());
}

void check_output_file(const std::string& path) {
  const auto status = status_of(path);
  std::error_code ignored;
  if (path.empty() || fs::is_directory(path, ignored)) throw UserError(path, "is no name for a file");
  if (status && access(path.c_str(), W_OK) != 0 && errno != ENOENT) fail(path, "cannot be written");
  if (!status || S_ISREG(status->st_mode)) check_parent_folder(path);
}

void write_text_file(const std::string& path, const std::string& content) {
  check_output_file(path);
  const auto status = status_of(path);
  if (status && !S_ISREG(status->st_mode)) return write_through(path, content);
  std::error_code error;
  fs::create_directories(fs::absolute(path).parent_path(), error);
  if (error) throw UserError(path, "cannot be written: " + error.message());
  replace(path, status ? std::optional(status->st_mode) : std::nullopt, content);
}

}  // namespace tilewright
