// What SQLite throws becomes one message that names the file.
#pragma once

#include <SQLiteCpp/Exception.h>

#include <string>

#include "sim/base/error.h"

namespace tilewright {

// "is damaged", "has no room left on its disk", ...
std::string sqlite_fault(const SQLite::Exception& error);

// Runs `work`; a UserError naming `path` for what SQLite throws.
template <typename Work>
auto guard_sqlite(const std::string& path, Work work) {
  try {
    return work();
  } catch (const SQLite::Exception& error) {
    throw UserError(path, sqlite_fault(error));
  }
}

}  // namespace tilewright
