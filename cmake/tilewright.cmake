# The three shapes of target this project has: a library per folder, the SystemC kernel, a test program per folder.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)

# Debian builds SystemC as C++17; a C++20 program links only when it is told so.
pkg_check_modules(SYSTEMC_PC REQUIRED IMPORTED_TARGET systemc)
add_library(tw_systemc INTERFACE)
target_link_libraries(tw_systemc INTERFACE PkgConfig::SYSTEMC_PC Threads::Threads)
target_compile_definitions(tw_systemc INTERFACE SC_CPLUSPLUS=201703L SC_DISABLE_API_VERSION_CHECK)

# tilewright_library(tw_isa tw_hw ...): every .cpp of the current folder and of those in it, linked to what it may include.
function(tilewright_library name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*/*.cpp)
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARGN})
endfunction()

# tilewright_test(unit_sim_isa quick tw_isa ...): every .cpp of the current folder as one GoogleTest program, each test
# its own process and CTest entry under the given label.
function(tilewright_test name label)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_executable(${name} ${sources} ${PROJECT_SOURCE_DIR}/tests/support/test_main.cpp)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE TILEWRIGHT_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             TILEWRIGHT_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE ${ARGN} tw_systemc GTest::gtest GTest::gmock)
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${label})
endfunction()
