# Writes OUTPUT, the definition of simulator_version(): the project's version and a hash of every source that a measured
# cost depends on. Run as a script: cmake -DSOURCE_DIR= -DVERSION= -DOUTPUT= -P simulator_version.cmake
file(GLOB_RECURSE sources LIST_DIRECTORIES false RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/sim/*.h ${SOURCE_DIR}/sim/*.cpp
     ${SOURCE_DIR}/planner/graph/* ${SOURCE_DIR}/planner/passes/*.h ${SOURCE_DIR}/planner/passes/*.cpp
     ${SOURCE_DIR}/planner/passes/*.yaml)
file(GLOB measuring RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/planner/cost/*.h ${SOURCE_DIR}/planner/cost/*.cpp)
list(APPEND sources ${measuring})
list(SORT sources)
foreach(source ${sources})
  file(SHA256 ${SOURCE_DIR}/${source} hash)
  string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 16 hash)
set(text "#include \"planner/cost/simulator_version.h\"

namespace tilewright {
std::string simulator_version() { return \"${VERSION}-${hash}\"; }
}  // namespace tilewright
")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT text STREQUAL "${before}")
  file(WRITE ${OUTPUT} "${text}")
endif()
