# cblas.h is called in blas.cpp only. The thread knob of the loaded BLAS is found at run time.
target_link_libraries(blockyard_tensor PUBLIC BLAS::BLAS ${CMAKE_DL_LIBS})
