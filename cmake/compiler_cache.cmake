# ccache makes the second build of the same code free, also in another clone: paths below the
# project count as relative, and the build folder's own path does not count. Nor does the language
# of messages: Python sets one for what it starts, as `pip install`, where the system has none. A
# launcher that the user has set stays.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher ${CMAKE_COMMAND} -E env --unset=LC_ALL --unset=LC_CTYPE --unset=LC_MESSAGES
               LANG=C.UTF-8 CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
               CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
