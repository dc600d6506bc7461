// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "blockyard/program/program.h"

namespace blockyard::program {

/// How ACES4 copies a block into one whose list names an index twice, as t[nu,nu] = a[mu,nu]: for
/// each position of the source the position of the target with its elements. Going through the
/// target, each position is given to the first position of the source with its name, later ones
/// taking the place of earlier ones; positions of the source that get none are given the first.
/// Nothing unless the lists are of one length, without ranges (-1) and numbers in the target, a
/// name stands twice in the target, every name of it stands in the source, and each position of the
/// target is then taken once: any other copy has no meaning. [nu,nu] = [mu,nu] keeps the order of
/// the elements, [mu,mu] = [mu,nu] transposes them.
[[nodiscard]] std::optional<std::vector<std::size_t>> targets_of_repeated(
    std::span<const std::int32_t> target, std::span<const std::int32_t> source);

/// The names by which a copy matches the positions of a block: its indexes, but -2 - index for the
/// number of a segmented index, (index)i, which has extent 1 and is not the segment i.
[[nodiscard]] std::vector<std::int32_t> names_for_copy(const Program& program,
                                                       const Selector& selector);

}  // namespace blockyard::program
