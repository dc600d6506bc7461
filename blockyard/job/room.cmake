target_link_libraries(blockyard_job PUBLIC PkgConfig::tomlplusplus
                      PRIVATE nlohmann_json::nlohmann_json)
target_compile_definitions(blockyard_job PRIVATE BLOCKYARD_VERSION="${PROJECT_VERSION}")
