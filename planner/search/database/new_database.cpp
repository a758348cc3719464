#include "planner/search/database/new_database.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "sim/base/error.h"
#include "sim/base/text_file.h"

namespace tilewright {
namespace {

// Beside the target, and hidden: a process that is killed leaves it behind.
std::string beside(const std::filesystem::path& target) {
  return (target.parent_path() / fmt::format(".{}.{}.new", target.filename().string(), getpid())).string();
}

}  // namespace

NewDatabase::NewDatabase(const std::string& target) : target_(target), path_(beside(target)) {
  remove();  // of a process of that number
}

NewDatabase::~NewDatabase() { remove(); }

void NewDatabase::take_place() {
  std::error_code error;
  std::filesystem::rename(path_, target_, error);
  if (error) throw UserError(target_, "cannot be written: " + error.message());
  flush_folder(std::filesystem::absolute(target_).parent_path().string());
}

void NewDatabase::remove() const {
  std::error_code ignored;
  for (const char* file : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(path_ + file, ignored);
}

}  // namespace tilewright
