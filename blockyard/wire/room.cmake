# The test reads the worked example of docs/wire.md.
set_source_files_properties(
  ${folder}/encode_test.cpp
  PROPERTIES COMPILE_DEFINITIONS "BLOCKYARD_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\"")
