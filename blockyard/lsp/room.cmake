target_link_libraries(blockyard_lsp PUBLIC nlohmann_json::nlohmann_json)
# Hover and signature help show what the page of the super instructions says.
set(lsp_page ${PROJECT_SOURCE_DIR}/docs/super_instructions.md)
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/lsp_page.cpp
  COMMAND ${CMAKE_COMMAND} -DOUT=${CMAKE_BINARY_DIR}/lsp_page.cpp -DFILE=${lsp_page}
          -P ${CMAKE_CURRENT_LIST_DIR}/embed.cmake
  DEPENDS ${lsp_page} ${CMAKE_CURRENT_LIST_DIR}/embed.cmake
  VERBATIM)
target_sources(blockyard_lsp PRIVATE ${CMAKE_BINARY_DIR}/lsp_page.cpp)
