target_link_libraries(blockyard_job PUBLIC PkgConfig::tomlplusplus
                      PRIVATE nlohmann_json::nlohmann_json ZLIB::ZLIB)
target_compile_definitions(blockyard_job PRIVATE BLOCKYARD_VERSION="${PROJECT_VERSION}")
if(BLOCKYARD_TESTS)
  set_source_files_properties(
    ${CMAKE_CURRENT_LIST_DIR}/aces_constants_test.cpp ${CMAKE_CURRENT_LIST_DIR}/chemistry_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/job_bytes_test.cpp PROPERTIES
    COMPILE_DEFINITIONS BLOCKYARD_BASIS_FOLDER="${PROJECT_SOURCE_DIR}/blockyard/qc/data")
endif()
