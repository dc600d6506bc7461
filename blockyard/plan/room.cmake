target_link_libraries(blockyard_plan PRIVATE nlohmann_json::nlohmann_json)
if(BLOCKYARD_TESTS)
  set_source_files_properties(
    ${CMAKE_CURRENT_LIST_DIR}/molecule_test.cpp PROPERTIES
    COMPILE_DEFINITIONS
      "BLOCKYARD_BASIS_FOLDER=\"${PROJECT_SOURCE_DIR}/share/basis\";BLOCKYARD_PROGRAM_FOLDER=\"${PROJECT_SOURCE_DIR}/sialib\"")
endif()
