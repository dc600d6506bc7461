# The header and the exported symbols are made of calls.txt; mpi/ is there if MPI is, else absent/.
set(ga_generated ${CMAKE_BINARY_DIR}/ga)
file(MAKE_DIRECTORY ${ga_generated})
add_custom_command(
  OUTPUT ${ga_generated}/ga.h ${ga_generated}/ga_calls.h ${ga_generated}/ga_calls.cpp
  COMMAND ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/make_calls.py ${CMAKE_CURRENT_LIST_DIR}/calls.txt
          ${CMAKE_CURRENT_LIST_DIR}/ga.h.in ${ga_generated}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/make_calls.py ${CMAKE_CURRENT_LIST_DIR}/calls.txt
          ${CMAKE_CURRENT_LIST_DIR}/ga.h.in)
get_target_property(sources blockyard_ga SOURCES)
if(BLOCKYARD_MPI)
  list(FILTER sources EXCLUDE REGEX "/ga/absent/")
  target_link_libraries(blockyard_ga PUBLIC MPI::MPI_C)
  target_compile_definitions(blockyard_ga PUBLIC OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
else()
  list(FILTER sources EXCLUDE REGEX "/ga/mpi/")
  target_include_directories(blockyard_ga SYSTEM PUBLIC ${CMAKE_CURRENT_LIST_DIR}/absent)
endif()
set_target_properties(blockyard_ga PROPERTIES SOURCES "${sources}" PCH_WARN_INVALID OFF)
target_sources(blockyard_ga PRIVATE ${ga_generated}/ga_calls.cpp)
target_include_directories(blockyard_ga PUBLIC ${ga_generated} ${CMAKE_CURRENT_LIST_DIR}/include)
target_link_libraries(blockyard_ga PRIVATE ${CMAKE_DL_LIBS})

# What programs link: one library, static or shared, with all rooms in it.
set(ga_objects)
foreach(room IN ITEMS base array fabric garray ga)
  list(APPEND ga_objects $<TARGET_OBJECTS:blockyard_${room}>)
endforeach()
foreach(kind IN ITEMS STATIC SHARED)
  string(TOLOWER ga_${kind} library)
  add_library(${library} ${kind} EXCLUDE_FROM_ALL ${ga_objects})
  set_target_properties(${library} PROPERTIES OUTPUT_NAME ga LINKER_LANGUAGE CXX
                        ARCHIVE_OUTPUT_DIRECTORY ${ga_generated}
                        LIBRARY_OUTPUT_DIRECTORY ${ga_generated})
  target_link_libraries(${library} PUBLIC fmt::fmt Threads::Threads ${CMAKE_DL_LIBS} LAPACK::LAPACK
                        BLAS::BLAS PkgConfig::xxhash)
  target_include_directories(${library} PUBLIC ${ga_generated} ${CMAKE_CURRENT_LIST_DIR}/include)
  if(BLOCKYARD_MPI)
    target_link_libraries(${library} PUBLIC MPI::MPI_C)
  endif()
endforeach()
