# The header and the exported symbols are made of calls.txt; mpi/ is there if MPI is, else absent/.
set(ga_generated ${CMAKE_BINARY_DIR}/ga)
file(MAKE_DIRECTORY ${ga_generated})
add_custom_command(
  OUTPUT ${ga_generated}/global.fh ${ga_generated}/fortran_i4.cpp ${ga_generated}/fortran_i8.cpp
  COMMAND ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/make_fortran.py
          ${CMAKE_CURRENT_LIST_DIR}/fortran_calls.txt ${CMAKE_CURRENT_LIST_DIR}/global.fh.in
          ${ga_generated}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/make_fortran.py ${CMAKE_CURRENT_LIST_DIR}/fortran_calls.txt
          ${CMAKE_CURRENT_LIST_DIR}/global.fh.in)
foreach(companion IN ITEMS tcgmsg dra eaf)
  set(needed blockyard/ga/exclusive_files.h)
  if(companion STREQUAL tcgmsg)
    set(needed blockyard/ga/door/tcgmsg_fortran.h)
  endif()
  add_custom_command(
    OUTPUT ${ga_generated}/${companion}_i4.cpp ${ga_generated}/${companion}_i8.cpp
    COMMAND ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/make_fortran.py
            ${CMAKE_CURRENT_LIST_DIR}/${companion}_calls.txt ${needed} ${ga_generated}
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/make_fortran.py ${CMAKE_CURRENT_LIST_DIR}/${companion}_calls.txt)
endforeach()
add_custom_command(
  OUTPUT ${ga_generated}/ga.h ${ga_generated}/ga_calls.h ${ga_generated}/ga_calls.cpp
  COMMAND ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/make_calls.py ${CMAKE_CURRENT_LIST_DIR}/calls.txt
          ${CMAKE_CURRENT_LIST_DIR}/ga.h.in ${ga_generated}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/make_calls.py ${CMAKE_CURRENT_LIST_DIR}/calls.txt
          ${CMAKE_CURRENT_LIST_DIR}/ga.h.in)
get_target_property(sources blockyard_ga SOURCES)
list(FILTER sources EXCLUDE REGEX "/ga/door/")
if(BLOCKYARD_MPI)
  list(FILTER sources EXCLUDE REGEX "/ga/absent/")
  target_link_libraries(blockyard_ga PUBLIC MPI::MPI_C)
  target_compile_definitions(blockyard_ga PUBLIC OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
else()
  list(FILTER sources EXCLUDE REGEX "/ga/mpi/")
  target_include_directories(blockyard_ga SYSTEM PUBLIC ${CMAKE_CURRENT_LIST_DIR}/absent)
endif()
set_target_properties(blockyard_ga PROPERTIES SOURCES "${sources}" PCH_WARN_INVALID OFF)
add_custom_target(ga_headers DEPENDS ${ga_generated}/ga_calls.h ${ga_generated}/global.fh)
add_dependencies(blockyard_ga ga_headers)
target_include_directories(blockyard_ga PUBLIC ${ga_generated} ${CMAKE_CURRENT_LIST_DIR}/include)
target_link_libraries(blockyard_ga PRIVATE ${CMAKE_DL_LIBS})

# The exported symbols, once for INTEGERs of 4 bytes and once for those of 8.
set(ga_objects)
foreach(room IN ITEMS base tensor array store fabric garray ga)
  list(APPEND ga_objects $<TARGET_OBJECTS:blockyard_${room}>)
endforeach()
foreach(width IN ITEMS i4 i8)
  add_library(ga_door_${width} OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/door/c_ma.cpp
              ${CMAKE_CURRENT_LIST_DIR}/door/c_disk.cpp ${CMAKE_CURRENT_LIST_DIR}/door/c_files.cpp
              ${CMAKE_CURRENT_LIST_DIR}/door/solver_names.cpp
              ${ga_generated}/ga_calls.cpp ${ga_generated}/fortran_${width}.cpp
              ${ga_generated}/dra_${width}.cpp ${ga_generated}/eaf_${width}.cpp)
  if(BLOCKYARD_MPI)
    target_sources(ga_door_${width} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/door/tcgmsg.cpp
                                            ${ga_generated}/tcgmsg_${width}.cpp)
  endif()
  if(width STREQUAL i8)
    target_include_directories(ga_door_${width} BEFORE PRIVATE ${CMAKE_CURRENT_LIST_DIR}/include/i8)
  endif()
  set_target_properties(ga_door_${width} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(ga_door_${width} PRIVATE blockyard_ga fmt::fmt)
endforeach()

# The library that programs link: one with all rooms in it, static or shared, libga or libga_i8.
foreach(width IN ITEMS i4 i8)
  foreach(kind IN ITEMS STATIC SHARED)
    string(TOLOWER ga_${kind} library)
    set(name ga)
    if(width STREQUAL i8)
      string(APPEND library _i8)
      set(name ga_i8)
    endif()
    add_library(${library} ${kind} EXCLUDE_FROM_ALL ${ga_objects} $<TARGET_OBJECTS:ga_door_${width}>)
    set_target_properties(${library} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE CXX
                          ARCHIVE_OUTPUT_DIRECTORY ${ga_generated}
                          LIBRARY_OUTPUT_DIRECTORY ${ga_generated})
    target_link_libraries(${library} PUBLIC fmt::fmt Threads::Threads ${CMAKE_DL_LIBS} LAPACK::LAPACK
                          BLAS::BLAS PkgConfig::xxhash hdf5::hdf5)
    if(kind STREQUAL SHARED)
      target_link_options(${library} PRIVATE -Wl,-Bsymbolic-functions)  # calls within it are direct
    endif()
    if(width STREQUAL i8)
      target_include_directories(${library} PUBLIC ${CMAKE_CURRENT_LIST_DIR}/include/i8)
    endif()
    target_include_directories(${library} PUBLIC ${ga_generated} ${CMAKE_CURRENT_LIST_DIR}/include)
    if(BLOCKYARD_MPI)
      target_link_libraries(${library} PUBLIC MPI::MPI_C)
    endif()
  endforeach()
endforeach()
target_link_libraries(blockyard_garray PRIVATE LAPACK::LAPACK BLAS::BLAS)

# `cmake --build ... --target ga`, then `cmake --install ... --component ga`.
add_custom_target(ga DEPENDS ga_headers ga_static ga_shared ga_static_i8 ga_shared_i8)
set(GA_CC gcc)
set(GA_F77 gfortran)
if(BLOCKYARD_MPI)
  set(GA_CC ${MPI_C_COMPILER})
  get_filename_component(mpi_folder "${MPI_C_COMPILER}" DIRECTORY)
  get_filename_component(mpi_name "${MPI_C_COMPILER}" NAME)
  string(REPLACE mpicc mpifort mpi_name "${mpi_name}")
  set(GA_F77 ${mpi_folder}/${mpi_name})
endif()
list(JOIN BLAS_LIBRARIES " " GA_BLAS)
set(GA_STATIC_LIBRARIES "-lfmt -lxxhash -lstdc++ -ldl -lpthread -lrt")
foreach(library IN LISTS LAPACK_LIBRARIES HDF5_C_LIBRARIES)
  string(APPEND GA_STATIC_LIBRARIES " ${library}")
endforeach()
include(GNUInstallDirs)
configure_file(${CMAKE_CURRENT_LIST_DIR}/ga-config.in ${ga_generated}/bin/ga-config @ONLY
               FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
               WORLD_READ WORLD_EXECUTE)
install(PROGRAMS ${ga_generated}/bin/ga-config DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ga
        EXCLUDE_FROM_ALL)
install(TARGETS ga_static ga_shared ga_static_i8 ga_shared_i8 COMPONENT ga EXCLUDE_FROM_ALL
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Programs include it as .h, but it is Fortran.
configure_file(${CMAKE_CURRENT_LIST_DIR}/include/msgtypesf.fh ${ga_generated}/msgtypesf.h COPYONLY)
install(FILES ${ga_generated}/ga.h ${ga_generated}/global.fh ${ga_generated}/msgtypesf.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ga EXCLUDE_FROM_ALL)
install(DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT ga EXCLUDE_FROM_ALL)
# For INTEGERs of 8 bytes: all headers in one folder, and a ga-config that needs no --i8.
install(DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/i8
        COMPONENT ga EXCLUDE_FROM_ALL PATTERN typesf2c.h EXCLUDE PATTERN i8 EXCLUDE)
install(FILES ${ga_generated}/ga.h ${ga_generated}/global.fh ${ga_generated}/msgtypesf.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/i8 COMPONENT ga EXCLUDE_FROM_ALL)
install(PROGRAMS ${ga_generated}/bin/ga-config DESTINATION i8/bin COMPONENT ga EXCLUDE_FROM_ALL)
include(CMakePackageConfigHelpers)
set(ga_package ${CMAKE_INSTALL_LIBDIR}/cmake/globalarrays)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/globalarrays-config.cmake.in
                              ${ga_generated}/globalarrays-config.cmake INSTALL_DESTINATION ${ga_package}
                              PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${ga_generated}/globalarrays-config-version.cmake VERSION 5.9.2
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${ga_generated}/globalarrays-config.cmake ${ga_generated}/globalarrays-config-version.cmake
        DESTINATION ${ga_package} COMPONENT ga EXCLUDE_FROM_ALL)
