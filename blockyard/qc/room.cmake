target_link_libraries(blockyard_qc PRIVATE PkgConfig::libint2 ECPINT::ecpint LAPACK::LAPACK BLAS::BLAS
                      nlohmann_json::nlohmann_json)
# No derivatives of integrals: half of the templates of libint2 stay away.
target_compile_definitions(blockyard_qc PRIVATE LIBINT2_MAX_DERIV_ORDER=0)
# g++ 12 takes the moves of boost::small_vector, which libint2 keeps its shells in, for overreads.
set_source_files_properties(${folder}/integrals.cpp ${folder}/detail/shell_family.cpp PROPERTIES COMPILE_OPTIONS
                            $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>)
# Where the tests find the basis set files.
file(GLOB qc_tests CONFIGURE_DEPENDS ${folder}/*_test.cpp)
set_source_files_properties(${qc_tests} PROPERTIES COMPILE_DEFINITIONS
                            "BLOCKYARD_QC_DATA=\"${PROJECT_SOURCE_DIR}/share/basis\"")
