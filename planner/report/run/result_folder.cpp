#include "planner/report/run/result_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>

#include "sim/base/error.h"
#include "sim/base/text_file.h"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> kResultNames{"hardware.yaml", "operators.csv", "plan.txt",  "program.tw",
                                                       "report.html",   "summary.json",  "trace.json"};

// Without a trailing separator, so that siblings can be named.
fs::path folder_of(const std::string& path) {
  fs::path folder = fs::path(path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  return folder;
}

fs::path sibling(const fs::path& folder, std::string_view suffix) {
  return folder.parent_path() / fmt::format(".{}.{}{}", folder.filename().string(), getpid(), suffix);
}

void check_replaceable(const fs::path& folder) {
  const fs::file_status status = fs::symlink_status(folder);
  if (!fs::exists(status)) return;
  if (fs::is_symlink(status)) throw UserError(folder.string(), "is a symbolic link; name the folder it leads to");
  if (!fs::is_directory(status)) throw UserError(folder.string(), "is a file, where a result folder should be written");
  std::set<std::string> others;  // sorted, so that the message is the same on every file system
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    others.insert(entry.path().filename().string());
  for (std::string_view name : kResultNames) others.erase(std::string(name));
  if (!others.empty())
    throw UserError(folder.string(), fmt::format("holds '{}', which is no result file; choose a folder that is new, "
                                                 "empty or an earlier result",
                                                 *others.begin()));
}

// Deletes what is left at `path` when the scope ends, whatever happens.
struct Remover {
  fs::path path;
  ~Remover() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

// File systems that cannot exchange two names (older NFS, some of FUSE) leave a moment without the folder.
void swap_in_two_steps(const fs::path& fresh, const fs::path& folder) {
  const Remover old{sibling(folder, ".old")};
  fs::rename(folder, old.path);
  std::error_code error;
  fs::rename(fresh, folder, error);
  if (!error) return;
  fs::rename(old.path, folder);
  throw UserError(folder.string(), "could not be put in place: " + error.message());
}

// An earlier folder is at `fresh` afterwards. At every moment there is the one or the other at `folder`.
void swap_in(const fs::path& fresh, const fs::path& folder) {
  if (!fs::exists(folder)) return fs::rename(fresh, folder);
  if (renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno == EINVAL || errno == ENOSYS || errno == ENOTSUP) return swap_in_two_steps(fresh, folder);
  throw UserError(folder.string(), std::string("could not be put in place: ") + std::strerror(errno));
}

// Runs `body`; what the file system refuses becomes the user's error.
template <typename Body>
void or_not_written(const fs::path& folder, Body body) {
  try {
    body();
  } catch (const fs::filesystem_error& error) {
    throw UserError(folder.string(), "cannot be written: " + error.code().message());
  }
}

// Into the folder that is to take the place of `folder`, which is the one the user knows.
void write_into(const fs::path& fresh, const fs::path& folder, const std::string& name, const std::string& content) {
  const std::string path = (fresh / name).string();
  try {
    write_text_file(path, content);
  } catch (const UserError& error) {
    const std::string text = error.what();
    throw UserError("", text.starts_with(path) ? (folder / name).string() + text.substr(path.size()) : text);
  }
}

}  // namespace

void check_result_folder(const std::string& path) {
  const fs::path folder = folder_of(path);
  if (folder.empty() || folder.filename() == "." || folder.filename() == "..")
    throw UserError(path, "is no name for a result folder; give a new folder, e.g. out/bert");
  or_not_written(folder, [&] {
    check_replaceable(folder);
    check_parent_folder(folder.string());
  });
}

void write_result_folder(const std::string& path, const ResultFiles& files) {
  check_result_folder(path);
  const fs::path folder = folder_of(path);
  const Remover fresh{sibling(folder, ".new")};
  or_not_written(folder, [&] {
    fs::create_directories(fresh.path);
    for (const auto& [name, content] : files) write_into(fresh.path, folder, name, content);
    swap_in(fresh.path, folder);
    flush_folder(fs::absolute(folder).parent_path().string());
  });
}

}  // namespace tilewright
