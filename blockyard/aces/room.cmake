if(BLOCKYARD_TESTS)
  set_source_files_properties(
    ${CMAKE_CURRENT_LIST_DIR}/constants_test.cpp ${CMAKE_CURRENT_LIST_DIR}/fragments_test.cpp PROPERTIES
    COMPILE_DEFINITIONS BLOCKYARD_BASIS_FOLDER="${PROJECT_SOURCE_DIR}/share/basis")
endif()
