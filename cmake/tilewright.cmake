# The shapes of target this project has: a library per room, the SystemC kernel, a test program per folder.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(Boost REQUIRED)
find_package(Protobuf REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_library(TILEWRIGHT_LIBCSV csv REQUIRED)

# Debian builds SystemC as C++17; a C++20 program links only when it is told so.
pkg_check_modules(SYSTEMC_PC REQUIRED IMPORTED_TARGET systemc)
add_library(tw_systemc INTERFACE)
target_link_libraries(tw_systemc INTERFACE PkgConfig::SYSTEMC_PC Threads::Threads)
target_compile_definitions(tw_systemc INTERFACE SC_CPLUSPLUS=201703L SC_DISABLE_API_VERSION_CHECK)

# The names in `used` as targets: a folder is a room, anything else stands for itself.
function(room_targets result)
  set(targets "")
  foreach(used ${ARGN})
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${used})
      string(REPLACE "/" "_" used tw_${used})
    endif()
    list(APPEND targets ${used})
  endforeach()
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

# The headers that nearly every room includes are compiled once, with the first room: a sixth of the build. Not with
# ccache (scripts/setup.sh sets CMAKE_DISABLE_PRECOMPILE_HEADERS), which could not tell what a source includes.
function(precompile_headers target)
  if(TILEWRIGHT_JOIN_ROOMS)
    return()
  elseif(target STREQUAL "tw_sim_base")
    target_precompile_headers(${target} PRIVATE <fmt/format.h> <algorithm> <array> <cmath> <cstdint> <functional> <map>
                              <memory> <numeric> <optional> <set> <string> <string_view> <unordered_map> <utility>
                              <variant> <vector>)
  else()
    target_precompile_headers(${target} REUSE_FROM tw_sim_base)
  endif()
endfunction()

# room(sim/isa sim/hw/timing ... PRIVATE onnx_proto): every .cpp of the folder, linked to what it may include.
function(room folder)
  cmake_parse_arguments(ARG "" "" PRIVATE ${ARGN})
  string(REPLACE "/" "_" name tw_${folder})
  room_targets(public ${ARG_UNPARSED_ARGUMENTS})
  room_targets(private ${ARG_PRIVATE})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  if(sources AND TILEWRIGHT_JOIN_ROOMS)
    join_room(${name} "${sources}" ${public} ${private})
  elseif(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${public} PRIVATE ${private})
    precompile_headers(${name})
    list(LENGTH sources count)
    if(count EQUAL 1)
      set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
    endif()
  else()
    add_library(${name} INTERFACE)  # a room of interfaces
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} INTERFACE ${public})
  endif()
endfunction()

# With TILEWRIGHT_JOIN_ROOMS the rooms are one library whose sources are compiled sixty-four at a time: headers are read and
# templates compiled a few times instead of once in each room, which halves what the sanitizers' and clang-tidy's builds
# take. Who calls whom is then not held by the linker; the other builds hold it.
option(TILEWRIGHT_JOIN_ROOMS "All rooms as one library" OFF)
function(join_room name sources)
  if(NOT TARGET tw_rooms)
    add_library(tw_rooms SHARED)
    target_include_directories(tw_rooms PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_options(tw_rooms PRIVATE -Wl,-Bsymbolic-functions)
  endif()
  target_sources(tw_rooms PRIVATE ${sources})
  add_library(${name} INTERFACE)
  target_link_libraries(${name} INTERFACE tw_rooms)
  list(FILTER ARGN EXCLUDE REGEX "^tw_(sim|planner|validation)")
  target_link_libraries(tw_rooms PUBLIC ${ARGN})
endfunction()

# room_source(tw_planner_measure FILE): one more source, made by CMake.
function(room_source name file)
  if(TILEWRIGHT_JOIN_ROOMS)
    set(name tw_rooms)
  endif()
  target_sources(${name} PRIVATE ${file})
endfunction()

# What every test program has: its main function, and the headers that all of them include.
function(test_main)
  add_library(test_main OBJECT ${PROJECT_SOURCE_DIR}/tests/support/test_main.cpp)
  set_target_properties(test_main PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_include_directories(test_main PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(test_main PRIVATE tw_systemc GTest::gtest GTest::gmock fmt::fmt)
  compile_as_test(test_main)
  target_precompile_headers(test_main PRIVATE <gmock/gmock.h> <gtest/gtest.h> <systemc> <fmt/format.h> <algorithm>
                            <functional> <map> <optional> <set> <string> <variant> <vector>)
endfunction()

# tilewright_test(unit/sim/isa quick sim/isa ...): every .cpp of that folder of tests as one GoogleTest program, each test
# its own process and CTest entry under the given label, or under `slow` where the test suite's name ends in Slow; rooms and
# other targets follow. The target is the folder with _ for /.
function(tilewright_test folder label)
  string(REPLACE "/" "_" name ${folder})
  room_targets(used ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp)
  add_executable(${name} ${sources} $<TARGET_OBJECTS:test_main>)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${folder}
                                           POSITION_INDEPENDENT_CODE OFF)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE TILEWRIGHT_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             TILEWRIGHT_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE ${used} tw_systemc GTest::gtest GTest::gmock fmt::fmt)
  target_precompile_headers(${name} REUSE_FROM test_main)
  compile_as_test(${name})
  add_dependencies(tests_${label} ${name})
  add_dependencies(tests_slow ${name})  # for its suites that are slow
  file(GLOB cases CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/cases.txt)
  set_property(TARGET ${name} PROPERTY LINK_DEPENDS ${cases})  # a new case is a new test: they are listed again
  gtest_discover_tests(${name} TEST_PREFIX "${name}." TEST_FILTER "-*Slow.*" DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${label})
  gtest_discover_tests(${name} TEST_PREFIX "${name}." TEST_FILTER "*Slow.*" DISCOVERY_TIMEOUT 60 PROPERTIES LABELS slow)
endfunction()
