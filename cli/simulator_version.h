// Which simulator measured something: two builds may count differently, so results of different ones are not mixed.
#pragma once

#include <string>

namespace tilewright {

// The version of the project and a hash of this program's file: "0.1.0-4a0c...".
std::string simulator_version();
// Path of this program's file.
std::string program_path();

}  // namespace tilewright
