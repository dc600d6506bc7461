target_link_libraries(blockyard_garray PRIVATE LAPACK::LAPACK BLAS::BLAS)
