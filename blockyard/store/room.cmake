# HDF5 is called in persist_*.cpp and detail/ only.
target_link_libraries(blockyard_store PRIVATE hdf5::hdf5)
# A test reads the worked example of docs/disk.md.
set_source_files_properties(
  ${folder}/spill_file_test.cpp
  PROPERTIES COMPILE_DEFINITIONS "BLOCKYARD_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\"")
