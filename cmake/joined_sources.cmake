# The presets that compile everything once more (asan, fuzz) join eight sources at a time
# (CMAKE_UNITY_BUILD): the headers are then read once for eight. These sources stay alone, because
# names of their unnamed namespaces stand in a neighbour, too. A preset fails on a new one: add it here.
function(blockyard_stay_alone)
  foreach(source IN ITEMS
      fabric/loopback/loopback.cpp
      job/dat/molecule_test.cpp
      job/plan/costs.cpp
      job/plan/server_model.cpp
      qc/basis_json.cpp
      qc/basis_nwchem.cpp
      qc/integral_engine.cpp
      qc/linear_algebra.cpp
      qc/scf_start.cpp
      qc/table_scf.cpp
      server/server_lent_test.cpp
      server/server_spill_test.cpp
      sial/compile_test.cpp
      sial/detail/emitter_value.cpp
      sial/detail/flow_loops.cpp
      sial/print_checked.cpp
      tensor/packed_product_test.cpp
      tensor/permute_test.cpp
      worker/near_test.cpp
      worker/prefetch.cpp)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/blockyard/${source} PROPERTIES
                                SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()
