// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/garray/patch.h"

// Mirrored arrays: those of the mirror group, of which each node has a copy of its own. All of
// these: collective among all ranks, between syncs of all.
namespace blockyard::garray {

/// Whether the array has several copies.
[[nodiscard]] bool is_mirrored(const Runtime& runtime, const Array& array);

/// Each copy becomes the sum over the copies: the same bits in all of them. Takes memory for one
/// more copy, over all ranks, while it works.
void merge(Runtime& runtime, const Array& array);

/// to = the sum over nodes of the patch of the mirrored array; `to` is of all ranks.
void merge(Runtime& runtime, const Patch& from, const Patch& to);

}  // namespace blockyard::garray
