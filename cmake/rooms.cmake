# tools/layers.txt is the only copy of the rooms and of who may see whom.

add_library(blockyard_options INTERFACE)
# The prefix map keeps the place of the clone out of messages and of debug information.
target_compile_options(blockyard_options INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
                       -Wall -Wextra -Wpedantic -Wshadow
                       $<$<BOOL:${BLOCKYARD_WERROR}>:-Werror>)
# At -O3 GCC 12 warns of copies inside its own library that are right (GCC bugs 105329, 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(blockyard_options INTERFACE
                         $<$<CONFIG:Release>:-Wno-restrict -Wno-stringop-overflow>)
endif()
target_include_directories(blockyard_options INTERFACE ${PROJECT_SOURCE_DIR})
target_link_libraries(blockyard_options INTERFACE fmt::fmt Threads::Threads)

# Rooms that manage memory by hand or read bytes of strangers: `make test` runs their tests under the
# address sanitizer, those of the others optimised.
set(blockyard_sanitized_rooms base tensor array program store rpc fabric device remote block super ring blas)

# What runs once in a run is compiled quickly rather than to run quickly: a fifth of the build's time.
set(blockyard_cold_rooms sial lsp input method aces job report)

# One room: a library of its sources, a test program of its *_test.cpp. What it needs from outside
# stands in its own room.cmake.
function(blockyard_room name)
  set(folder ${PROJECT_SOURCE_DIR}/blockyard/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.h)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(NOT sources)
    return()
  endif()
  add_library(blockyard_${name} STATIC ${sources})
  set_target_properties(blockyard_${name} PROPERTIES LINKER_LANGUAGE CXX
                        POSITION_INDEPENDENT_CODE ON)
  blockyard_precompile(blockyard_${name} room)
  if(name IN_LIST blockyard_cold_rooms)
    target_compile_options(blockyard_${name} PRIVATE -O1)
  endif()
  target_link_libraries(blockyard_${name} PUBLIC blockyard_options)
  foreach(other IN LISTS ARGN)
    if(TARGET blockyard_${other})
      target_link_libraries(blockyard_${name} PUBLIC blockyard_${other})
    endif()
  endforeach()
  if(EXISTS ${folder}/room.cmake)
    include(${folder}/room.cmake)
  endif()
  set(tested ${BLOCKYARD_OPTIMISED_TESTS})
  if(name IN_LIST blockyard_sanitized_rooms)
    set(tested ${BLOCKYARD_SANITIZED_TESTS})
  endif()
  # The arithmetic of the kernels depends on the optimiser: both.
  if(BLOCKYARD_TESTS AND tests AND (tested OR name STREQUAL "tensor"))
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE blockyard_${name} GTest::gtest_main)
    blockyard_precompile(${name}_test test)
    blockyard_cases(${name}_test unit)
  endif()
endfunction()

# Tells CTest the cases of a GoogleTest program, each as a test of its own unless
# BLOCKYARD_WHOLE_TESTS: a process start costs much more under a sanitizer.
add_custom_target(test_programs)
function(blockyard_cases target label)
  add_dependencies(test_programs ${target})
  if(BLOCKYARD_WHOLE_TESTS)
    add_test(NAME ${label}.${target} COMMAND ${target} --gtest_brief=1)
    set_tests_properties(${label}.${target} PROPERTIES LABELS ${label} COST 1000 TIMEOUT 1500)
  else()
    gtest_discover_tests(${target} NO_PRETTY_VALUES PROPERTIES LABELS ${label} DISCOVERY_TIMEOUT 60)
  endif()
endfunction()

function(blockyard_rooms)
  file(STRINGS ${PROJECT_SOURCE_DIR}/tools/layers.txt lines REGEX "^[a-z]+:")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
               ${PROJECT_SOURCE_DIR}/tools/layers.txt)
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^[a-z]+" name "${line}")
    string(REGEX REPLACE "^[a-z]+:" "" below "${line}")
    string(REGEX REPLACE "#.*" "" below "${below}")
    separate_arguments(below)
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/blockyard/${name})
      blockyard_room(${name} ${below})
    endif()
  endforeach()
endfunction()
