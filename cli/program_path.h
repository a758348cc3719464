// Where this program's file lies, for jobs that start it again.
#pragma once

#include <string>

namespace tilewright {

std::string program_path();

}  // namespace tilewright
