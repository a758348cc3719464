// strategies.yaml, put into the program by CMake: it needs no file beside it at run time.
#pragma once

namespace tilewright {

extern const char* const kDefaultStrategies;

}  // namespace tilewright
