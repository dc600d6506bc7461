target_link_libraries(blockyard_input PUBLIC PkgConfig::toml
                      PRIVATE nlohmann_json::nlohmann_json)
if(BLOCKYARD_TESTS)
  set_source_files_properties(
    ${CMAKE_CURRENT_LIST_DIR}/run_options_test.cpp PROPERTIES
    COMPILE_DEFINITIONS BLOCKYARD_JOB_FILE_GUIDE="${PROJECT_SOURCE_DIR}/docs/how_to/job_file.md")
endif()
