# A test compares the bytes of the example in docs/rpc.md.
if(BLOCKYARD_TESTS)
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/frame_test.cpp PROPERTIES
    COMPILE_DEFINITIONS "BLOCKYARD_SOURCE_FOLDER=\"${PROJECT_SOURCE_DIR}\"" SKIP_PRECOMPILE_HEADERS ON)
endif()
