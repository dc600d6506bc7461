target_link_libraries(blockyard_job PUBLIC PkgConfig::tomlplusplus
                      PRIVATE nlohmann_json::nlohmann_json)
