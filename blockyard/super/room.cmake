# Shared objects of users are loaded with dlopen.
target_link_libraries(blockyard_super PUBLIC ${CMAKE_DL_LIBS})
if(BLOCKYARD_TESTS)
  # A library of super instructions in plain C, and one of a version to come, for super_test.
  add_library(blockyard_super_example MODULE ${CMAKE_CURRENT_LIST_DIR}/testdata/example.c)
  target_include_directories(blockyard_super_example PRIVATE ${PROJECT_SOURCE_DIR})
  add_library(blockyard_super_version_to_come MODULE
              ${CMAKE_CURRENT_LIST_DIR}/testdata/version_to_come.c)
  target_include_directories(blockyard_super_version_to_come PRIVATE ${PROJECT_SOURCE_DIR})
  # Two in plain C with device forms, for device_form_test and the job tests.
  foreach(library IN ITEMS device_forms form_of_nothing)
    add_library(blockyard_super_${library} MODULE ${CMAKE_CURRENT_LIST_DIR}/testdata/${library}.c)
    target_include_directories(blockyard_super_${library} PRIVATE ${PROJECT_SOURCE_DIR})
    add_dependencies(blockyard_super blockyard_super_${library})
  endforeach()
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/device_form_test.cpp PROPERTIES COMPILE_DEFINITIONS
    "BLOCKYARD_SUPER_FORMS=\"$<TARGET_FILE:blockyard_super_device_forms>\";BLOCKYARD_SUPER_FORM_OF_NOTHING=\"$<TARGET_FILE:blockyard_super_form_of_nothing>\"")
  add_library(blockyard_super_aces_example MODULE
              ${CMAKE_CURRENT_LIST_DIR}/testdata/aces_example.c)
  add_dependencies(blockyard_super blockyard_super_example blockyard_super_version_to_come
                   blockyard_super_aces_example)
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/load_test.cpp PROPERTIES COMPILE_DEFINITIONS
    "BLOCKYARD_SUPER_EXAMPLE=\"$<TARGET_FILE:blockyard_super_example>\";BLOCKYARD_SUPER_ACES_EXAMPLE=\"$<TARGET_FILE:blockyard_super_aces_example>\";BLOCKYARD_SUPER_VERSION_TO_COME=\"$<TARGET_FILE:blockyard_super_version_to_come>\"")
endif()
