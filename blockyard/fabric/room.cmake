# fabric/mpi is there if MPI is; else absent.cpp stands in for it.
get_target_property(sources blockyard_fabric SOURCES)
# Another MPI may bring definitions with which the precompiled headers do not fit.
set_target_properties(blockyard_fabric PROPERTIES PCH_WARN_INVALID OFF)
if(BLOCKYARD_MPI)
  list(FILTER sources EXCLUDE REGEX "/mpi/absent\\.cpp$")
  target_link_libraries(blockyard_fabric PRIVATE MPI::MPI_C)
  target_compile_definitions(blockyard_fabric PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
else()
  list(FILTER sources EXCLUDE REGEX "/mpi/.*\\.cpp$")
  list(APPEND sources ${CMAKE_CURRENT_LIST_DIR}/mpi/absent.cpp)
endif()
set_target_properties(blockyard_fabric PROPERTIES SOURCES "${sources}")
# The thread sanitizer does not model its fences, and warns so: what it then reports there may be false.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/node/node_transfers.cpp
                              PROPERTIES COMPILE_OPTIONS -Wno-tsan)
endif()
