target_link_libraries(blockyard_base PRIVATE PkgConfig::xxhash)
