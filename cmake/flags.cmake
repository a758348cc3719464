# Warnings, and how much each room is optimised.

option(TILEWRIGHT_WERROR "Warnings are errors" OFF)
add_compile_options(-Wall -Wextra -Wpedantic -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wreserved-identifier)
endif()
if(TILEWRIGHT_WERROR)
  add_compile_options(-Werror)
  # GCC 12 raises false alarms in its own std::string and std::optional and in fmt once they are inlined (GCC bugs 105329,
  # 105651 and 80635), where the batches of the unity build happen to let it: they are printed, but stop nothing.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    add_compile_options(-Wno-error=restrict -Wno-error=stringop-overflow -Wno-error=maybe-uninitialized)
  endif()
endif()

# A user who sets CMAKE_CXX_FLAGS_RELEASE gets those flags everywhere.
function(optimise target configurations)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    return()  # a room that is joined to the others
  endif()
  if(TILEWRIGHT_OWN_FLAGS AND CMAKE_CXX_FLAGS_RELEASE STREQUAL "${TILEWRIGHT_RELEASE_FLAGS}")
    target_compile_options(${target} PRIVATE "$<$<CONFIG:${configurations}>:${ARGN}>")
  endif()
endfunction()

# Rooms that run for a moment or wait for files: compiled in two thirds of the time.
function(optimise_little target)
  optimise(${target} Release -O1)
endfunction()

# Tests: what they call is optimised. With sanitizers they are not, and have that of addresses alone: they compile in half
# the time, and what they call is in a library that keeps to its own copies of templates.
function(compile_as_test target)
  optimise_little(${target})
  optimise(${target} RelWithDebInfo -O0 -fno-sanitize=undefined)
endfunction()
