# libblockyard_offload.so goes into other people's programs: it exports the routine table and nothing else,
# brings its own C++ library, and names no BLAS. Hence its parts are compiled for it
# once more, with what other libraries are for elsewhere taken from their headers.
set(offload_exports ${PROJECT_BINARY_DIR}/generated/offload_exports.cpp)
set(offload_names ${PROJECT_BINARY_DIR}/generated/offload_exports.map)
add_custom_command(OUTPUT ${offload_exports} ${offload_names}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated
  COMMAND ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/generate.py ${CMAKE_CURRENT_LIST_DIR}/routines.txt
          ${CMAKE_CURRENT_LIST_DIR}/fftw.txt ${offload_exports} ${offload_names}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/generate.py ${CMAKE_CURRENT_LIST_DIR}/routines.txt
          ${CMAKE_CURRENT_LIST_DIR}/fftw.txt)
# Sanitizers do not go into programs that were built without them.
if(NOT CMAKE_CXX_FLAGS_RELWITHDEBINFO MATCHES "fsanitize")
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
  add_library(blockyard_offload SHARED ${offload_exports} ${offload_names} ${offload_sources}
              ${rooms}/base/checksum.cpp
              ${rooms}/base/fingerprint.cpp ${rooms}/base/text.cpp ${rooms}/device/device.cpp
              ${rooms}/device/kernel.cpp)
  target_compile_definitions(blockyard_offload PRIVATE FMT_HEADER_ONLY XXH_INLINE_ALL)
  blockyard_precompile(blockyard_offload offload)
  target_compile_options(blockyard_offload PRIVATE -Wall -Wextra -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
  target_include_directories(blockyard_offload PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(blockyard_offload PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(blockyard_offload PRIVATE -static-libstdc++ -static-libgcc -Wl,--no-undefined
                      -Wl,--as-needed -Wl,--version-script=${offload_names} -Wl,-z,nodelete)
  set_target_properties(blockyard_offload PROPERTIES LINK_DEPENDS ${offload_names}
                        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/plugins)
  include(GNUInstallDirs)
  install(TARGETS blockyard_offload LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/blockyard)
endif()
