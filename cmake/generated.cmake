# Sources made when CMake configures: the default split strategies, the model's version, the page of `tilewright report`.

set(generated ${PROJECT_BINARY_DIR}/generated)

# The default strategies are part of the program: it needs no file beside it at run time.
set(strategies ${PROJECT_SOURCE_DIR}/planner/passes/label)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${strategies}/strategies.yaml)
file(READ ${strategies}/strategies.yaml default_strategies)
configure_file(${strategies}/default_strategies.cpp.in ${generated}/default_strategies.cpp @ONLY)
room_source(tw_planner_passes_label ${generated}/default_strategies.cpp)

# The version of the model is a hash of what it computes: model_costs.txt, which the test model_version holds true.
set(model_costs ${PROJECT_SOURCE_DIR}/planner/measure/model_costs.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${model_costs})
file(SHA256 ${model_costs} model_hash)
string(SUBSTRING ${model_hash} 0 16 model_hash)
configure_file(${PROJECT_SOURCE_DIR}/planner/measure/simulator_version.cpp.in ${generated}/simulator_version.cpp @ONLY)
room_source(tw_planner_measure ${generated}/simulator_version.cpp)

# The page is kept in the tree as one file (scripts/build_page makes it), so that a build needs neither npm nor a network.
set(page ${PROJECT_SOURCE_DIR}/planner/report/page/dist/page.html)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
file(READ ${page} html_page)
configure_file(${PROJECT_SOURCE_DIR}/planner/report/study/html_page.cpp.in ${generated}/html_page.cpp @ONLY)
set_source_files_properties(${generated}/html_page.cpp PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
room_source(tw_planner_report_study ${generated}/html_page.cpp)
