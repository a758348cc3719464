// Where this program's file lies, for jobs that start it again.
#pragma once

#include <string>

namespace tilewright {

std::string program_path();
// For a host that is another program: where `tilewright` is.
void set_program_path(const std::string& path);

}  // namespace tilewright
