# The programs built around the rooms: folders found by name, fuzzers, benchmarks.

# Enters every folder below the current one that has a CMakeLists.txt, and where a folder has none,
# the folders inside it. `except` names folders to leave out.
function(blockyard_enter_folders)
  file(GLOB lists CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  file(GLOB inner CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/*/CMakeLists.txt)
  foreach(list IN LISTS lists inner)
    cmake_path(GET list PARENT_PATH folder)
    cmake_path(GET folder FILENAME name)
    cmake_path(GET folder PARENT_PATH parent)
    if(name IN_LIST ARGN)
      continue()
    endif()
    if(list IN_LIST inner AND EXISTS ${parent}/CMakeLists.txt)
      continue()
    endif()
    add_subdirectory(${folder})
  endforeach()
endfunction()

# A fuzzer: fuzz_<name>.cpp, linked with the named rooms, run by ctest for ten seconds from the
# seeds in corpus/<name>/ next to it, if any. New inputs it finds stay in the build folder.
function(blockyard_fuzzer name)
  add_executable(fuzz_${name} fuzz_${name}.cpp)
  list(TRANSFORM ARGN PREPEND blockyard_ OUTPUT_VARIABLE rooms)
  target_link_libraries(fuzz_${name} PRIVATE ${rooms})
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  set(found ${CMAKE_CURRENT_BINARY_DIR}/found/${name})
  file(MAKE_DIRECTORY ${found})
  set(seeds ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
  if(NOT IS_DIRECTORY ${seeds})
    set(seeds)
  endif()
  add_test(NAME fuzz_${name}
           COMMAND fuzz_${name} -max_total_time=10 -timeout=10 -rss_limit_mb=2048 -verbosity=0
                   -artifact_prefix=${found}- ${found} ${seeds})
  set_tests_properties(fuzz_${name} PROPERTIES LABELS fuzz)
endfunction()

# A benchmark: an executable <name>_bench of the given sources, linked with the named ROOMS, and run
# by `make bench` with the arguments ARGS. It prints JSON lines.
function(blockyard_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 bench "" "" "SOURCES;ROOMS;ARGS")
  add_executable(${name}_bench ${bench_SOURCES})
  list(TRANSFORM bench_ROOMS PREPEND blockyard_)
  target_link_libraries(${name}_bench PRIVATE ${bench_ROOMS})
  blockyard_bench_command(${name} $<TARGET_FILE:${name}_bench> ${bench_ARGS})
endfunction()

# A benchmark that is a command of its own (a script): run by `make bench` after all is built.
# Registered as a test of the label `bench`, serial, so that ctest runs it alone and in order.
function(blockyard_bench_command name)
  add_test(NAME bench_${name} COMMAND ${ARGN})
  set_tests_properties(bench_${name} PROPERTIES LABELS bench RUN_SERIAL ON TIMEOUT 3600)
endfunction()
