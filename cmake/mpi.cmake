# A test that runs an executable in `processes` processes, more than there are cores if need be.
# The environment lets Open MPI do so, also as root in a container; MPICH needs nothing. Leaks are not
# looked for: Open MPI unloads its modules at the end, and what they leaked has no name to be told by.
set(blockyard_mpi_environment
    "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_hwloc_base_binding_policy=none;ASAN_OPTIONS=detect_leaks=0")
# All executables that tests over MPI run, next to the program itself: what the preset mpich builds.
add_custom_target(mpi_tests)
function(blockyard_mpi_test name processes target)
  add_dependencies(mpi_tests ${target})
  add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} -n ${processes} $<TARGET_FILE:${target}>
                                ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS mpi TIMEOUT 300
                       ENVIRONMENT "${blockyard_mpi_environment}")
endfunction()
