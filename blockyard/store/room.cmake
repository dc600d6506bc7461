# HDF5 is called in persist_*.cpp and detail/ only.
target_link_libraries(blockyard_store PRIVATE hdf5::hdf5)
