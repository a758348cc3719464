// Which simulator measured something: two that count differently must not be mixed in one database or study.
#pragma once

#include <string>

namespace tilewright {

// The project's version and a hash of the sources a measured cost depends on, "0.1.0-4a0c...": the same for every build
// of the same sources, on any machine (cmake/simulator_version.cmake).
std::string simulator_version();

}  // namespace tilewright
