# Programs that ask for the version compile one file again when it changes, not the room.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/version.cpp PROPERTIES
                            COMPILE_DEFINITIONS BLOCKYARD_VERSION="${PROJECT_VERSION}")
if(BLOCKYARD_TESTS)
  set_source_files_properties(
    ${CMAKE_CURRENT_LIST_DIR}/job_bytes_test.cpp PROPERTIES
    COMPILE_DEFINITIONS BLOCKYARD_BASIS_FOLDER="${PROJECT_SOURCE_DIR}/share/basis")
endif()
