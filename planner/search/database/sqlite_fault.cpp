#include "planner/search/database/sqlite_fault.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace tilewright {

std::string sqlite_fault(const SQLite::Exception& error) {
  switch (error.getErrorCode()) {
    case SQLITE_NOTADB:
      return "is no tiling database (no SQLite file)";
    case SQLITE_CORRUPT:
      return "is damaged";
    case SQLITE_BUSY:
      return "is being written by another process; it did not finish in time";
    case SQLITE_READONLY:
      return "cannot be written";
    case SQLITE_CANTOPEN:
      return "cannot be opened";
    case SQLITE_FULL:
      return "has no room left on its disk";
    default:
      return fmt::format("cannot be used: {}", error.getErrorStr());
  }
}

}  // namespace tilewright
