# Warnings, and how much each room is optimised.

option(TILEWRIGHT_WERROR "Warnings are errors" OFF)
add_compile_options(-Wall -Wextra -Wpedantic -Wno-missing-field-initializers)
if(TILEWRIGHT_WERROR)
  add_compile_options(-Werror)
endif()

# Rooms that run for a moment or wait for files, and all tests: compiled in two thirds of the time at -O1. A user who sets
# CMAKE_CXX_FLAGS_RELEASE gets those flags everywhere.
function(optimise_little target)
  if(TILEWRIGHT_OWN_FLAGS AND CMAKE_CXX_FLAGS_RELEASE STREQUAL "${TILEWRIGHT_RELEASE_FLAGS}")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# False alarms of GCC 12 in its own std::string and in fmt once they are inlined at -O3 (GCC bugs 105329 and 105651),
# switched off for the targets that have them.
function(without_false_alarms)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    foreach(target ${ARGN})
      target_compile_options(${target} PRIVATE -Wno-restrict -Wno-stringop-overflow)
    endforeach()
  endif()
endfunction()
