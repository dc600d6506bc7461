# The same kernels, once per instruction set; the choice is made at run time.
set(kernel_folder ${PROJECT_SOURCE_DIR}/blockyard/lattice/detail)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(kernel_unused ${kernel_folder}/row_kernels_other.cpp)
else()
  set(kernel_unused ${kernel_folder}/row_kernels_x86.cpp ${kernel_folder}/row_kernels_avx2.cpp
                    ${kernel_folder}/row_kernels_avx512.cpp)
endif()
set_source_files_properties(${kernel_unused} PROPERTIES HEADER_FILE_ONLY ON)
set(kernel_options "-O3;-fno-math-errno;-fno-trapping-math")
set_source_files_properties(${kernel_folder}/row_kernels_plain.cpp PROPERTIES
                            COMPILE_OPTIONS "${kernel_options}")
set_source_files_properties(${kernel_folder}/row_kernels_avx2.cpp PROPERTIES
                            COMPILE_OPTIONS "${kernel_options};-mavx2;-mfma")
set_source_files_properties(${kernel_folder}/row_kernels_avx512.cpp PROPERTIES
  COMPILE_OPTIONS "${kernel_options};-march=x86-64-v4;-mprefer-vector-width=512")
foreach(name IN ITEMS row_kernels_plain row_kernels_avx2 row_kernels_avx512)
  set_source_files_properties(${kernel_folder}/${name}.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endforeach()
# Headers only; walker.cpp includes them.
target_include_directories(blockyard_lattice SYSTEM PRIVATE ${RANDOM123_INCLUDE_DIR})
target_link_libraries(blockyard_lattice PRIVATE LAPACK::LAPACK)
# The kernels of devices travel inside the program, as text.
set(g4_texts ${kernel_folder}/g4_structs.cl ${kernel_folder}/g4_kernels.cl)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${g4_texts})
set(g4_text "")
foreach(path IN LISTS g4_texts)
  file(READ ${path} more)
  string(APPEND g4_text "${more}")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/blockyard/lattice/detail/g4_text.h
     CONTENT "// Made by CMake from g4_structs.cl and g4_kernels.cl.\n#pragma once\nconst char* const g4_text = R\"text(@g4_text@)text\";\n"
     @ONLY)
target_include_directories(blockyard_lattice PRIVATE ${PROJECT_BINARY_DIR}/generated)
