// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/table.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <numeric>

#include "blockyard/qc/atomic_density.h"
#include "blockyard/qc/table_fixture.h"

namespace blockyard::qc {
namespace {

using array::IndexKind;
using testing::Block;
using testing::ChemistryTable;
using testing::error_of;

TEST_F(ChemistryTable, a_block_is_the_part_of_the_whole_array) {
  for (const char* name : {"return_ovl", "return_h1", "one_electron_kinetic",
                           "one_electron_attraction", "atomic_density_guess"}) {
    Block whole = Block::whole({24, 24});
    Block part({14, 10}, {1, 2}, {IndexKind::ao, IndexKind::ao});
    run(name, {&whole});
    run(name, {&part});
    for (std::size_t j = 0; j < 10; ++j)
      for (std::size_t i = 0; i < 14; ++i)
        ASSERT_NEAR(part.values[i + 14 * j], whole.values[i + 24 * (j + 14)], 1e-13) << name;
  }
}

TEST_F(ChemistryTable, core_hamiltonian_is_kinetic_and_attraction) {
  Block h = Block::whole({24, 24}), t = h, v = h;
  run("return_h1", {&h});
  run("one_electron_kinetic", {&t});
  run("one_electron_attraction", {&v});
  for (std::size_t k = 0; k < h.values.size(); ++k)
    ASSERT_NEAR(h.values[k], t.values[k] + v.values[k], 1e-13);
}

TEST_F(ChemistryTable, numbers_of_the_nuclei) {
  Block energy = Block::scalar(0), nuclear = Block::scalar(0), code = Block::scalar(12);
  run("compute_nn_repulsion", {&energy});
  EXPECT_NEAR(energy.values[0], 9.189533762934902, 1e-10);
  Block d = Block::whole({24, 24});
  run("compute_dipole_integrals", {&d, &nuclear, &code});
  EXPECT_NEAR(nuclear.values[0], (8 * 0.1173 - 2 * 0.4692) / angstrom_per_bohr, 1e-12);
  EXPECT_EQ(d.values[0], 0.0);
  code = Block::scalar(3);
  run("compute_dipole_integrals", {&d, &nuclear, &code});
  EXPECT_NEAR(d.values[0], 0.1173 / angstrom_per_bohr, 1e-12);  // a norm 1 s function on O
  code = Block::scalar(4);
  EXPECT_EQ(error_of([&] {
              run("compute_dipole_integrals", {&d, &nuclear, &code});
            }),
            "the operand b must be 1, 2, 3, 10, 11 or 12");
}

TEST_F(ChemistryTable, integral_batch_is_the_block_of_its_segments) {
  const auto kinds = std::vector(4, IndexKind::ao);
  Block block({14, 10, 14, 14}, {1, 2, 1, 1}, kinds);
  run("compute_integral_batch", {&block});
  IntegralEngine engine(system_.integrals);
  std::vector<double> expected(block.values.size());
  const auto& s = system_.segments.shells;
  engine.electron_repulsion(s[0], s[1], s[0], s[0], expected);
  EXPECT_EQ(block.values, expected);
  Block wrong({14, 10, 14, 13}, {1, 2, 1, 1}, kinds);
  EXPECT_EQ(error_of([&] { run("compute_integral_batch", {&wrong}); }),
            "the operand b must have indexes of the AO range");
}

TEST_F(ChemistryTable, fock_batch_fills_integrals_and_fock) {
  Block v({10, 10, 10, 10}, {2, 2, 2, 2}, std::vector(4, IndexKind::ao));
  Block d = Block::whole({24, 24}), fa = d, fb = d;
  d.values[14 * 25] = 1.0;  // one function of the second segment, both spins
  run("compute_ubatch6", {&v, &d, &d, &fa, &fb});
  EXPECT_GT(v.values[0], 0.0);
  EXPECT_NEAR(fa.values[14 * 25], v.values[0], 1e-14);  // 2 J - K of one function
  EXPECT_EQ(fa.values, fb.values);
  EXPECT_EQ(fa.values[0], 0.0);
}

TEST_F(ChemistryTable, denominators_take_orbital_numbers_from_the_segments) {
  Block t({4, 2}, {3, 2}, {IndexKind::moa, IndexKind::moa});  // a = 6..9, i = 4..5
  std::fill(t.values.begin(), t.values.end(), 1.0);
  Block fock = Block::whole({24, 24}, IndexKind::moa);
  for (std::size_t k = 0; k < 24; ++k) fock.values[k * 25] = static_cast<double>(k * k);
  run("energy_denominator_rhf", {&t, &fock});
  EXPECT_DOUBLE_EQ(t.values[0], 1.0 / (9 - 25));
  EXPECT_DOUBLE_EQ(t.values[3 + 4], 1.0 / (16 - 64));
  Block energies({24}, {1}, {IndexKind::moa});
  std::iota(energies.values.begin(), energies.values.end(), 0.0);
  Block one({1, 1}, {24, 5}, {IndexKind::simple, IndexKind::simple});
  one.values = {1.0};
  run("energy_denominator_rhf", {&one, &energies});
  Block number = Block::scalar(1);
  EXPECT_THROW(run("energy_denominator_rhf", {&one, &number}), base::Error);
  EXPECT_DOUBLE_EQ(one.values[0], 1.0 / (4 - 23));
  Block triple({4, 1, 4, 1, 4, 1}, {3, 2, 3, 3, 3, 5},  // virtual 6..9, orbitals 2, 3, 5
               {IndexKind::moa, IndexKind::simple, IndexKind::moa, IndexKind::simple,
                IndexKind::moa, IndexKind::simple});
  std::fill(triple.values.begin(), triple.values.end(), 1.0);
  run("energy_denominator_rhf", {&triple, &energies});
  EXPECT_DOUBLE_EQ(triple.values[1 + 4 * 2 + 16 * 3], 1.0 / (1 + 2 + 4 - 6 - 7 - 8));
}

TEST_F(ChemistryTable, statics_over_a_part_of_the_orbitals_begin_where_their_range_begins) {
  Block t({4, 2}, {3, 2}, {IndexKind::moa, IndexKind::moa});  // a = 6..9, i = 4..5
  std::fill(t.values.begin(), t.values.end(), 1.0);
  Block energies({21}, {2}, {IndexKind::moa});  // of orbitals 4 and on
  std::iota(energies.values.begin(), energies.values.end(), 4.0);
  run("energy_denominator_rhf", {&t, &energies});
  EXPECT_DOUBLE_EQ(t.values[1 + 4 * 1], 1.0 / (5 - 7));
  Block c({14, 4}, {1, 3}, {IndexKind::ao, IndexKind::moa}), spin = Block::scalar(0.0);
  std::fill(c.values.begin(), c.values.end(), 1.0);
  run("a4_dscale", {&c, &energies, &spin});
  EXPECT_EQ(c.values[0], 6.0);
  Block active({24, 21}, {1, 2}, {IndexKind::ao, IndexKind::moa}), fock = active;
  std::fill(active.values.begin(), active.values.end(), 1.0);
  run("drop_core_in_sip", {&active, &fock});  // the core is not there
  EXPECT_EQ(active.values[0], 1.0);
}

TEST_F(ChemistryTable, stripi_takes_an_orbital_out_of_a_block) {
  Block source({4, 2}, {3, 2}, {IndexKind::moa, IndexKind::moa});
  std::iota(source.values.begin(), source.values.end(), 0.0);
  Block part({4, 1}, {3, 5}, {IndexKind::moa, IndexKind::simple});  // orbital 5: second of 4..5
  run("stripi", {&source, &part});
  EXPECT_EQ(part.values, (std::vector<double>{4, 5, 6, 7}));
  part.segments[1] = 3;
  EXPECT_THROW(run("stripi", {&source, &part}), base::Error);
}

TEST_F(ChemistryTable, copy_overlap_knows_long_segments_by_their_orbitals) {
  // Orbitals 1..5 occupied, 6..24 virtual, nothing frozen; kind mo: spin orbitals, all, virtual,
  // long ones.
  segments_.set(IndexKind::mo, {5, 19, 24, 19, 4, 15});
  ints_["bavirt"] = 3;
  ints_["correlated_segment"] = 3;
  ints_["virtual_segment"] = 4;
  ints_["first_long_virtual"] = 5;
  Block from({15, 1}, {4, 7}, {IndexKind::moa, IndexKind::simple});
  std::iota(from.values.begin(), from.values.end(), 1.0);
  for (const auto& [segment, extent, first] : {std::tuple{3, 24, 9}, {4, 19, 4}, {6, 15, 0}}) {
    Block to({extent, 1}, {segment, 7}, {IndexKind::mo, IndexKind::simple});
    run("copy_overlap", {&from, &to});
    for (int k = 0; k < extent; ++k)
      EXPECT_EQ(to.values[static_cast<std::size_t>(k)],
                k >= first && k < first + 15 ? k - first + 1.0 : 0.0);
  }
  Block spins({5, 1}, {1, 7}, {IndexKind::mo, IndexKind::simple});
  EXPECT_EQ(error_of([&] {
              run("copy_overlap", {&from, &spins});
            }),
            "the operand b has an index over spin orbitals");
}

TEST_F(ChemistryTable, triples_energy_is_that_of_the_function) {
  // One occupied orbital too many for t1 is refused; else the same as triples_energy of
  // triples_energy_test.
  segments_.set(IndexKind::mo, {5, 19, 24, 19, 19});
  ints_ = {{"baocc", 1},           {"eaocc", 2},
           {"bavirt", 3},          {"correlated_segment", 3},
           {"virtual_segment", 4}, {"first_long_virtual", 5}};
  constexpr auto simple = IndexKind::simple;
  constexpr auto mo = IndexKind::mo;
  Block w({19, 1, 19, 1, 19, 1}, {5, 4, 5, 3, 5, 1}, {mo, simple, mo, simple, mo, simple});
  Block pair({19, 1, 19, 1}, {4, 1, 4, 1}, {mo, simple, mo, simple});
  Block t1 = Block::whole({19, 5}), fock = Block::whole({24, 24}), energy = Block::scalar(2.0);
  for (std::size_t k = 0; k < 24; ++k) fock.values[k * 25] = static_cast<double>(k) - 5.5;
  w.values[0 + 19 * (1 + 19 * 2)] = 3.0;  // W_abc of the three lowest virtual orbitals
  t1.values[0 + 19 * 3] = 0.5;            // t of the lowest one and orbital i = 4
  pair.values[1 + 19 * 2] = 0.25;         // (bj|ck)
  run("triples_energy", {&energy, &w, &w, &w, &w, &w, &w, &pair, &pair, &pair, &t1, &fock});
  // 4 W V / D, with D = -2.5 - 3.5 - 5.5 - (-0.5 + 0.5 + 1.5)
  EXPECT_NEAR(energy.values[0], 2.0 + 4.0 * 3.0 * (3.0 + 0.5 * 0.25) / -13.0, 1e-12);
  w.segments[1] = 6;
  EXPECT_THROW(
      run("triples_energy", {&energy, &w, &w, &w, &w, &w, &w, &pair, &pair, &pair, &t1, &fock}),
      base::Error);
}

TEST_F(ChemistryTable, triples_energy_refuses_orbitals_that_its_operands_do_not_have) {
  constexpr auto simple = IndexKind::simple;
  constexpr auto moa = IndexKind::moa;
  const auto refusal = [&](std::int64_t segment, Extent virtuals, Extent orbitals) {
    const Extent n = segments_.extent(moa, segment);
    Block w({n, 1, n, 1, n, 1}, {segment, 3, segment, 2, segment, 1},
            {moa, simple, moa, simple, moa, simple});
    Block pair = Block::whole({virtuals, 1, virtuals, 1});
    Block t1 = Block::whole({virtuals, 5}), fock = Block::whole({orbitals, orbitals});
    Block energy = Block::scalar(0);
    return error_of([&] {
      run("triples_energy", {&energy, &w, &w, &w, &w, &w, &w, &pair, &pair, &pair, &t1, &fock});
    });
  };
  ints_ = {{"baocc", 1}, {"eaocc", 2}, {"bavirt", 3}};
  EXPECT_EQ(refusal(3, 19, 24), "");
  EXPECT_EQ(refusal(1, 19, 24), "the operand b has an index beyond the virtual orbitals of t1");
  EXPECT_EQ(refusal(4, 10, 24), "the operand b has an index beyond the virtual orbitals of t1");
  EXPECT_EQ(refusal(3, 19, 18), "the operand b has fewer orbitals than t1");
}

TEST_F(ChemistryTable, triples_lists_end_with_a_row_of_minus_one) {
  Block list({10000, 7}, {1, 1}, {IndexKind::simple, IndexKind::simple});
  run("set_ijk_aaa", {&list});
  EXPECT_EQ(list.values[0], 1.0);
  std::size_t rows = 0;
  while (list.values[rows] > 0) ++rows;
  for (std::size_t k = 0; k < 7; ++k) EXPECT_EQ(list.values[rows + 10000 * k], -1.0);
  EXPECT_GT(rows, 0U);
  Block small({2, 7}, {1, 1}, {IndexKind::simple, IndexKind::simple});
  EXPECT_EQ(error_of([&] { run("set_ijk_aab", {&small}); }),
            "the operand b has too few rows for the work items");
}

TEST_F(ChemistryTable, atoms_one_by_one_add_up_to_the_guess) {
  Block alpha = Block::whole({24, 24}), beta = alpha, whole = alpha, unused = alpha;
  for (const double atom : {1.0, 2.0, 3.0}) {
    Block number = Block::scalar(atom);
    run("a4_scf_atom", {&alpha, &beta, &unused, &unused, &unused, &number});
  }
  run("atomic_density_guess", {&whole});
  for (std::size_t k = 0; k < whole.values.size(); ++k)
    ASSERT_DOUBLE_EQ(alpha.values[k] + beta.values[k], whole.values[k]);
  Block fourth = Block::scalar(4);
  EXPECT_THROW(run("a4_scf_atom", {&alpha, &beta, &unused, &unused, &unused, &fourth}),
               base::Error);
}

TEST_F(ChemistryTable, holds_every_name_of_the_old_programs) {
  for (const char* name : {"eigen_calc",
                           "eigen_calc_sqr_inv",
                           "gen_eigen_calc",
                           "compute_diis",
                           "check_dconf",
                           "return_sval",
                           "return_diagonal_elements",
                           "invert_diagonal",
                           "invert_diagonal_asym",
                           "anti_symm_o",
                           "anti_symm_v",
                           "stripi",
                           "set_ijk_aaa",
                           "set_ijk_aab",
                           "energy_denominator_rhf",
                           "energy_ty_denominator_rhf",
                           "cis_unit_guess",
                           "drop_core_in_sip",
                           "set_flags2",
                           "compute_int_scratchmem",
                           "compute_integral_batch",
                           "return_ovl",
                           "return_h1",
                           "return_1el_ecpints",
                           "compute_dipole_integrals",
                           "compute_nn_repulsion",
                           "compute_xyz_batch",
                           "aoladder_contraction",
                           "compute_ubatch1",
                           "compute_ubatch2",
                           "compute_ubatch4",
                           "compute_ubatch6",
                           "compute_ubatch7",
                           "compute_ubatch8",
                           "a4_scf_atom",
                           "a4_get_init_occupation",
                           "a4_return_occupation",
                           "a4_dscale",
                           "a4_david_damp_factor",
                           "compute_aabb_batch",
                           "scf_atom"})  // get_my_rank and the printing ones are general
    EXPECT_NE(table_.find(name), nullptr) << name;
}

TEST_F(ChemistryTable, occupations_and_frozen_columns_know_the_molecule) {
  Block occupations({24}, {1}, {IndexKind::moa}), spin = Block::scalar(1);
  run("a4_get_init_occupation", {&occupations, &spin});
  EXPECT_EQ(std::accumulate(occupations.values.begin(), occupations.values.end(), 0.0), 5.0);
  Block c({14, 4}, {1, 3}, {IndexKind::ao, IndexKind::moa});  // orbitals 6 to 9
  std::fill(c.values.begin(), c.values.end(), 1.0);
  occupations.values[5] = 2.0;
  run("a4_dscale", {&c, &occupations, &spin});
  EXPECT_EQ(c.values[13], 2.0);
  EXPECT_EQ(c.values[14], 0.0);
  Block all({24, 24}, {1, 1}, {IndexKind::ao, IndexKind::moa}), fock = all;
  std::fill(all.values.begin(), all.values.end(), 1.0);
  run("drop_core_in_sip", {&all, &fock});
  EXPECT_EQ(all.values[23], 0.0);
  EXPECT_EQ(all.values[24], 1.0);
}

TEST_F(ChemistryTable, what_nothing_describes_refuses_and_names_what_does_its_work) {
  Block block = Block::whole({1, 1});
  const auto failure = [&](const char* name, std::initializer_list<Block*> blocks) {
    try {
      run(name, blocks);
    } catch (const base::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(failure("scf_atom", {&block}).find("a4_scf_atom"), std::string::npos);
  EXPECT_NE(failure("compute_aabb_batch", {&block, &block}).find("compute_integral_batch"),
            std::string::npos);
}

TEST_F(ChemistryTable, small_instructions_pass_their_values) {
  Block block = Block::whole({1, 1}), value = Block::scalar(0);
  block.values = {-3.0};
  run("return_sval", {&block, &value});
  EXPECT_EQ(value.values[0], -3.0);
  run("check_dconf", {&block, &value});
  EXPECT_EQ(value.values[0], 3.0);
  Block s = Block::whole({2, 2}), u = s;
  s.values = {1, 0, 0, 1e-12};
  run("eigen_calc_sqr_inv", {&s, &u, &value});
  EXPECT_EQ(value.values[0], 1.0);
  Block odd = Block::whole({2, 3});
  EXPECT_EQ(error_of([&] { run("compute_diis", {&odd}); }),
            "the operand b must be a square matrix");
}

}  // namespace
}  // namespace blockyard::qc
