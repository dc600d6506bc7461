# ucx/ is there if the headers of UCX are; its library is opened at run time. Else absent.cpp stands in for it.
find_path(UCX_INCLUDE_DIR ucp/api/ucp.h)
get_target_property(sources blockyard_rpc SOURCES)
if(UCX_INCLUDE_DIR)
  list(FILTER sources EXCLUDE REGEX "/ucx/absent\\.cpp$")
  target_include_directories(blockyard_rpc SYSTEM PRIVATE ${UCX_INCLUDE_DIR})
else()
  list(FILTER sources EXCLUDE REGEX "/ucx/.*\\.cpp$")
  list(APPEND sources ${CMAKE_CURRENT_LIST_DIR}/ucx/absent.cpp)
endif()
set_target_properties(blockyard_rpc PROPERTIES SOURCES "${sources}")
# A test compares the bytes of the example in docs/rpc.md.
if(BLOCKYARD_TESTS)
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/frame_test.cpp PROPERTIES
    COMPILE_DEFINITIONS "BLOCKYARD_SOURCE_FOLDER=\"${PROJECT_SOURCE_DIR}\"" SKIP_PRECOMPILE_HEADERS ON)
endif()
