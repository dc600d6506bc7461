# The page of the opcodes is tested against the table.
set_source_files_properties(${folder}/print_test.cpp PROPERTIES COMPILE_DEFINITIONS
                            BLOCKYARD_BYTECODE_PAGE="${PROJECT_SOURCE_DIR}/docs/bytecode.md")
