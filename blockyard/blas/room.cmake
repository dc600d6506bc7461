# libblockyard_offload.so goes into other people's programs: it exports the routine table and nothing else,
# brings its own C++ library, and names no BLAS. Hence its parts are compiled for it
# once more, with what other libraries are for elsewhere taken from their headers.
set(offload_exports ${PROJECT_BINARY_DIR}/generated/offload_exports)
set(offload_level1 ${PROJECT_BINARY_DIR}/generated/offload_level1)
set(offload_tables ${CMAKE_CURRENT_LIST_DIR}/routines.txt ${CMAKE_CURRENT_LIST_DIR}/fftw.txt)
set(offload_generate ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/generate.py ${offload_tables})
foreach(made IN ITEMS offload_exports offload_level1)
  set(more "")
  if(made STREQUAL "offload_level1")
    set(more ${CMAKE_CURRENT_LIST_DIR}/level1.txt)
  endif()
  add_custom_command(OUTPUT ${${made}}.cpp ${${made}}.map
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated
    COMMAND ${offload_generate} ${${made}}.cpp ${${made}}.map ${more}
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/generate.py ${offload_tables} ${more})
endforeach()
# Sanitized programs bring one, and an exception of theirs may pass through functions of the library that clean up.
set(offload_runtime -static-libstdc++ -static-libgcc)
if(CMAKE_CXX_FLAGS_RELWITHDEBINFO MATCHES "fsanitize")
  set(offload_runtime "")
endif()
# A shared library of the exported names of a map; more: what it is linked from.
function(blockyard_offload_library name made)
  add_library(${name} SHARED ${made}.cpp ${made}.map ${ARGN})
  target_compile_definitions(${name} PRIVATE FMT_HEADER_ONLY XXH_INLINE_ALL)
  target_compile_options(${name} PRIVATE -Wall -Wextra -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(${name} PRIVATE ${offload_runtime} -Wl,--no-undefined
                      -Wl,--as-needed -Wl,--version-script=${made}.map -Wl,-z,nodelete)
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${made}.map
                        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/plugins)
  include(GNUInstallDirs)
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/blockyard)
endfunction()
# The address sanitizer does not go into programs that were built without it. The thread sanitizer is for those of
# the tests, which have it.
if(NOT CMAKE_CXX_FLAGS_RELWITHDEBINFO MATCHES "fsanitize=.*address")
  set(rooms ${PROJECT_SOURCE_DIR}/blockyard)
  file(GLOB offload_sources CONFIGURE_DEPENDS ${rooms}/blas/*.cpp ${rooms}/blas/*/*.cpp ${rooms}/remote/*.cpp
       ${rooms}/remote/client/*.cpp ${rooms}/rpc/*.cpp ${rooms}/rpc/delay/*.cpp
       ${rooms}/rpc/shared/*.cpp ${rooms}/rpc/socket/*.cpp ${rooms}/rpc/striped/*.cpp ${rooms}/rpc/tls/*.cpp
       ${rooms}/rpc/ucx/*.cpp)
  list(FILTER offload_sources EXCLUDE REGEX "_test\\.cpp$")
  if(UCX_INCLUDE_DIR)
    list(FILTER offload_sources EXCLUDE REGEX "/ucx/absent\\.cpp$")
  else()
    list(FILTER offload_sources EXCLUDE REGEX "/ucx/(libucp|ucx|worker)\\.cpp$")
  endif()
  blockyard_offload_library(blockyard_offload ${offload_exports} ${offload_sources}
                            ${rooms}/base/checksum.cpp ${rooms}/base/current_error.cpp
                            ${rooms}/base/fingerprint.cpp ${rooms}/base/text.cpp ${rooms}/device/device.cpp
                            ${rooms}/device/kernel.cpp)
  blockyard_precompile(blockyard_offload offload)
  # The same with the names of level 1, for programs of which all goes to a device.
  blockyard_offload_library(blockyard_offload_remote ${offload_level1} $<TARGET_OBJECTS:blockyard_offload>)
endif()
