// A folder of results that is there as a whole or not at all.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tilewright {

using ResultFiles = std::map<std::string, std::string>;  // file name -> content

// Throws UserError when `path` could not be made a result folder: a parent that is no folder, no right to write, or
// something there that is no earlier result folder (so nobody's other files are ever deleted). Call it before a long
// run.
void check_result_folder(const std::string& path);

// Writes every file into a temporary sibling, then puts that in the place of `path`. An earlier result folder there is
// replaced as a whole. On a failure, UserError: `path` is as it was.
void write_result_folder(const std::string& path, const ResultFiles& files);

}  // namespace tilewright
