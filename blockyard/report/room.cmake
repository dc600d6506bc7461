target_link_libraries(blockyard_report PRIVATE nlohmann_json::nlohmann_json ZLIB::ZLIB)
# Looked for in the folders of data next to those of headers, of this system and of CMAKE_PREFIX_PATH.
find_file(BLOCKYARD_CHART_JS chart.min.js PATH_SUFFIXES ../share/javascript/chart.js ../share/nodejs/chart.js/dist
          NO_CMAKE_FIND_ROOT_PATH)
if(NOT BLOCKYARD_CHART_JS)
  message(STATUS "No Chart.js (package libjs-chart.js): reports will have tables and no plots")
endif()
set(report_assets ${CMAKE_CURRENT_LIST_DIR}/assets)
set(report_scripts elements.js work.js resources.js page.js)
list(TRANSFORM report_scripts PREPEND ${report_assets}/ OUTPUT_VARIABLE report_scripts)
list(JOIN report_scripts "|" report_script)
set(report_files html=${report_assets}/page.html css=${report_assets}/page.css js=${report_script})
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/report_assets.cpp
  COMMAND ${CMAKE_COMMAND} -DOUT=${CMAKE_BINARY_DIR}/report_assets.cpp
          "-DFILES=${report_files}$<SEMICOLON>chart=$<$<BOOL:${BLOCKYARD_CHART_JS}>:${BLOCKYARD_CHART_JS}>"
          -P ${CMAKE_CURRENT_LIST_DIR}/embed.cmake
  DEPENDS ${report_assets}/page.html ${report_assets}/page.css ${report_scripts}
          ${CMAKE_CURRENT_LIST_DIR}/embed.cmake
  VERBATIM)
target_sources(blockyard_report PRIVATE ${CMAKE_BINARY_DIR}/report_assets.cpp)
set_source_files_properties(${folder}/metrics_page_test.cpp PROPERTIES COMPILE_DEFINITIONS
                            "BLOCKYARD_REPORT_PAGE=\"${PROJECT_SOURCE_DIR}/docs/report.md\"")
