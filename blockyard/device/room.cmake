target_link_libraries(blockyard_device PUBLIC ${CMAKE_DL_LIBS} PRIVATE LAPACK::LAPACK BLAS::BLAS)
