# What most sources include is read once, by the first target of a kind, in place of each time: that
# takes 20 to 30 % off the processor time of a build (26 sources drawn by lot). Compilers other than
# GCC precompile nothing: the fuzzers find a source of a room that lacks an include, `make lint`
# any other.
set(blockyard_usual_headers_room
    <algorithm> <array> <atomic> <condition_variable> <filesystem> <functional> <map> <memory> <mutex>
    <optional> <span> <string> <thread> <unordered_map> <vector> <fmt/format.h>)
set(blockyard_usual_headers_test ${blockyard_usual_headers_room} <gtest/gtest.h>)
set(blockyard_usual_headers_offload ${blockyard_usual_headers_room})

# kind: room, test or offload (parts of rooms, compiled once more for libblockyard_offload.so). All
# targets of a kind are compiled with the same options; sources with options that change their code
# skip it (SKIP_PRECOMPILE_HEADERS). Tests are compiled quickly rather than to run quickly.
function(blockyard_precompile target kind)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    return()
  endif()
  if(kind STREQUAL test)
    target_compile_options(${target} PRIVATE -O1)
  endif()
  get_property(first GLOBAL PROPERTY blockyard_first_${kind})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${blockyard_usual_headers_${kind}})
    set_property(GLOBAL PROPERTY blockyard_first_${kind} ${target})
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess)  # else ccache keeps nothing
endfunction()
