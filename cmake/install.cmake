# What is installed, and the same places below the build folder, so that the program finds its files there too.

# shipped(FOLDER NAME PATTERN...): the files of FOLDER that match, as share/tilewright/NAME.
function(shipped folder name)
  set(patterns "")
  foreach(pattern ${ARGN})
    list(APPEND patterns PATTERN ${pattern})
  endforeach()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright/${name}
          FILES_MATCHING ${patterns})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/tilewright)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${PROJECT_BINARY_DIR}/share/tilewright/${name} SYMBOLIC)
endfunction()

shipped(hw_configs hw_configs *.yaml)
shipped(traces traces *.onnx *.yaml *.csv *.json *.tw)
shipped(tests/reference references *.csv)
install(TARGETS tilewright RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Manual page and completion, written by the program itself from what its --help prints.
set(manual ${PROJECT_BINARY_DIR}/share/man/man1/tilewright.1)
set(completion ${PROJECT_BINARY_DIR}/share/bash-completion/completions/tilewright)
find_program(GZIP gzip REQUIRED)
add_custom_command(
  OUTPUT ${manual}.gz ${completion}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/share/man/man1
          ${PROJECT_BINARY_DIR}/share/bash-completion/completions
  COMMAND tilewright document man > ${manual}
  COMMAND ${GZIP} -9nf ${manual}
  COMMAND tilewright document bash > ${completion}
  DEPENDS tilewright
  COMMENT "Manual page and completion"
  VERBATIM)
add_custom_target(tw_documents ALL DEPENDS ${manual}.gz ${completion})
install(FILES ${manual}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tilewright)
set(CPACK_PACKAGE_VENDOR "Tilewright")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cycle-approximate simulator of multi-core AI accelerators, with a planner")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Tilewright maintainers <maintainers@tilewright.invalid>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # the libraries it is linked with, by dpkg-shlibdeps
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "slurm-client, bash-completion")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

# The Python package is a Debian package of its own beside the program's, made of the same build.
if(TARGET tw_python)
  execute_process(COMMAND ${PYTHON_EXECUTABLE} -c "import sys; print('%d.%d %d.%d' % (*sys.version_info[:2],
sys.version_info[0], sys.version_info[1] + 1))" OUTPUT_VARIABLE python_versions OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE " " ";" python_versions ${python_versions})
  list(GET python_versions 0 python_from)
  list(GET python_versions 1 python_before)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENTS_GROUPING IGNORE)
  set(CPACK_COMPONENTS_ALL Unspecified python)
  set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME tilewright)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-tilewright)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "tilewright (= ${PROJECT_VERSION}), python3 (>= ${python_from}), python3 (<< ${python_before}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-pandas)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS jupyter-notebook)
  set(CPACK_COMPONENT_UNSPECIFIED_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION_SUMMARY}")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION_SUMMARY} (Python package)")
endif()
include(CPack)
