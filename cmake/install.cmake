# What `cmake --install` adds for those who build on Blockyard: find_package(Blockyard) gives
#   Blockyard::blockyard  the program
#   Blockyard::super      headers for super instructions in C and other languages (super/c_abi.h)
#   Blockyard::device     the headers of device plug-ins (device/abi.h, abi_*.h)
#   blockyard_super_instructions(NAME SOURCE...)  a shared object for `blockyard run --super`
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(blockyard_package ${CMAKE_INSTALL_LIBDIR}/cmake/Blockyard)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/BlockyardConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/BlockyardConfig.cmake
                              INSTALL_DESTINATION ${blockyard_package}
                              PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/BlockyardConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/BlockyardConfig.cmake
              ${PROJECT_BINARY_DIR}/BlockyardConfigVersion.cmake
        DESTINATION ${blockyard_package})
install(FILES ${PROJECT_SOURCE_DIR}/blockyard/device/abi.h
              ${PROJECT_SOURCE_DIR}/blockyard/device/abi_range.h
              ${PROJECT_SOURCE_DIR}/blockyard/device/abi_kinds.h
              ${PROJECT_SOURCE_DIR}/blockyard/device/abi_cpp.h
              ${PROJECT_SOURCE_DIR}/blockyard/device/abi_plugin.h
              ${PROJECT_SOURCE_DIR}/blockyard/device/abi_kernel.h
              ${PROJECT_SOURCE_DIR}/blockyard/device/abi_kernel_check.h
              ${PROJECT_SOURCE_DIR}/blockyard/device/abi_table.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/blockyard/device)
