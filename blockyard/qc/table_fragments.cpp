// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/error.h"
#include "blockyard/qc/detail/operands.h"
#include "blockyard/qc/detail/table_parts.h"
#include "blockyard/qc/fragments.h"

// The entries only unpack operands; fragments.h says what is computed.
namespace blockyard::qc::detail {
namespace {

/// set_frag fragments
void run_set_frag(Operands operands, const Context& context) {
  scalar(operands[0]) = static_cast<double>(context.int_constant("nfrags"));
}

/// frag_index_range fragment kind:  become first and last segment. Kind 1 AO, 6 and 7 occupied and
/// virtual alpha, 9 and 10 beta; another one leaves both as they are.
void run_frag_index_range(Operands operands, const Context& context) {
  const double kind = scalar(operands[1]);
  const char* owners = nullptr;
  if (kind == 1.0) owners = "w_frag_ao";
  if (kind == 6.0) owners = "w_frag_aocc";
  if (kind == 7.0) owners = "w_frag_avirt";
  if (kind == 9.0) owners = "w_frag_bocc";
  if (kind == 10.0) owners = "w_frag_bvirt";
  if (owners == nullptr) return;
  const SegmentsOfFragment range =
      segments_of_fragment(context.predefined_array(owners).values, scalar(operands[0]));
  scalar(operands[0]) = static_cast<double>(range.first);
  scalar(operands[1]) = static_cast<double>(range.last);
}

/// return_pairs i j threshold flag:  2 for one fragment and for two that are not farther apart than
/// the threshold (bohr), else 0
void run_return_pairs(Operands operands, const Context& context) {
  const double one = scalar(operands[0]), other = scalar(operands[1]);
  const bool is_pair =
      one == other || distance_of_fragments(context, one, other) <= scalar(operands[2]);
  scalar(operands[3]) = is_pair ? 2.0 : 0.0;
}

/// compute_pair_nn i j energy
void run_pair_repulsion(Operands operands, const Context& context) {
  scalar(operands[2]) = repulsion_of_fragments(context, scalar(operands[0]), scalar(operands[1]));
}

/// moi_nn_repulsion energy fragment
void run_repulsion_in_fragment(Operands operands, const Context& context) {
  scalar(operands[0]) = repulsion_in_fragment(context, scalar(operands[1]));
}

/// place_scratch block matrix kind fragment:  the block's elements of a matrix over the functions
/// of one fragment. Kind 1: rows are AOs, 2: rows are orbitals; columns are orbitals.
void run_place_scratch(Operands operands, const Context& context) {
  Operand& block = operands[0];
  const Operand& matrix = operands[1];
  if (block.extents.size() != 2) refuse(block, "must have two indexes");
  if (matrix.extents.size() != 2) refuse(matrix, "must have two indexes");
  const double kind = scalar(operands[2]), fragment = scalar(operands[3]);
  const std::vector<double> orbitals = owners_of_orbitals(context);
  using array::IndexKind;
  const Extent rows_before =
      kind == 1.0 ? elements_of_fragment_before(context, IndexKind::ao,
                                                context.predefined_array("w_frag_ao").values,
                                                fragment, block.segments[0])
                  : elements_of_fragment_before(context, IndexKind::moa, orbitals, fragment,
                                                block.segments[0]);
  const Extent columns_before =
      elements_of_fragment_before(context, IndexKind::moa, orbitals, fragment, block.segments[1]);
  if (rows_before + block.extents[0] > matrix.extents[0] ||
      columns_before + block.extents[1] > matrix.extents[1])
    refuse(matrix, "is too small to hold the block of this fragment");
  auto value = block.values.begin();
  for (Extent column = 0; column < block.extents[1]; ++column)
    for (Extent row = 0; row < block.extents[0]; ++row)
      *value++ = matrix.values[static_cast<std::size_t>(
          rows_before + row + matrix.extents[0] * (columns_before + column))];
}

/// return_vpq V v:  v(p,q) = sum over r of V(p,q,r,r)
void run_return_vpq(Operands operands, const Context&) {
  const auto& extents = operands[0].extents;
  if (extents.size() != 4 || extents[2] != extents[3])
    refuse(operands[0], "must have four indexes, the last two of one extent");
  const auto count = static_cast<std::size_t>(extents[0] * extents[1]);
  if (operands[1].values.size() != count)
    refuse(operands[1], "must have the extents of the first two indexes");
  const auto pairs = static_cast<std::size_t>(extents[2]);
  for (std::size_t k = 0; k < count; ++k) {
    double sum = 0.0;
    for (std::size_t r = 0; r < pairs; ++r) sum += operands[0].values[k + count * r * (pairs + 1)];
    operands[1].values[k] = sum;
  }
}

void nothing(Operands, const Context&) {}

}  // namespace

void add_fragments(super::Table& table) {
  table.add({"set_frag", "w", run_set_frag, {"u"}});
  table.add({"frag_index_range", "uu", run_frag_index_range, {}});
  table.add({"return_pairs", "rrrw", run_return_pairs, {"rrru"}});
  table.add({"compute_pair_nn", "rrw", run_pair_repulsion, {"rru"}});
  table.add({"moi_nn_repulsion", "wr", run_repulsion_in_fragment, {"ur"}});
  table.add({"place_scratch", "wrrr", run_place_scratch, {"urrr", "uuuu"}});
  table.add({"return_vpq", "rw", run_return_vpq, {"uu", "ru"}});
  table.add({"compute_int_scratchmem_lowmem", "rr", nothing, {"uu", "uuu"}});
}

}  // namespace blockyard::qc::detail
