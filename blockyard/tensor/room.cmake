# cblas.h is called in blas.cpp only. The thread knob of the loaded BLAS is found at run time.
target_link_libraries(blockyard_tensor PUBLIC BLAS::BLAS ${CMAKE_DL_LIBS})

# The same kernels, once per instruction set; the choice is made at run time. A sanitizer's checks in
# code as optimised as that take three times as long to compile.
set(kernel_level -O3)
if(CMAKE_CXX_FLAGS_RELWITHDEBINFO MATCHES "fsanitize")
  set(kernel_level -O1)
endif()
set(kernel_folder ${PROJECT_SOURCE_DIR}/blockyard/tensor/detail)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(kernel_unused ${kernel_folder}/kernel_choice_plain.cpp)
else()
  set(kernel_unused ${kernel_folder}/kernel_choice_x86.cpp ${kernel_folder}/processor_x86.cpp
                    ${kernel_folder}/kernels_avx2.cpp ${kernel_folder}/kernels_avx512.cpp)
endif()
set_source_files_properties(${kernel_unused} PROPERTIES HEADER_FILE_ONLY ON)
set_source_files_properties(${kernel_folder}/kernels_baseline.cpp ${kernel_folder}/packed_run.cpp
                            PROPERTIES COMPILE_OPTIONS "${kernel_level}")
set_source_files_properties(${kernel_folder}/kernels_avx2.cpp PROPERTIES
                            COMPILE_OPTIONS "${kernel_level};-mavx2;-mfma;-Wno-psabi")
set_source_files_properties(${kernel_folder}/kernels_avx512.cpp PROPERTIES
  COMPILE_OPTIONS "${kernel_level};-march=x86-64-v4;-mprefer-vector-width=512;-Wno-psabi")
foreach(name IN ITEMS kernels_baseline kernels_avx2 kernels_avx512 packed_run)
  set_source_files_properties(${kernel_folder}/${name}.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endforeach()
