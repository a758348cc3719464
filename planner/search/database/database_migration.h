// Databases of older schemas, brought up to date.
#pragma once

#include <string>

namespace tilewright {

// Rewrites the file for this program; false and no change for one that is up to date. The file is there as it was or up
// to date, whenever the process dies. UserError naming the file, and the row that is damaged.
bool migrate_database(const std::string& path);

}  // namespace tilewright
