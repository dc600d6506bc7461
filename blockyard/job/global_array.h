// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "blockyard/array/element.h"
#include "blockyard/array/grid.h"
#include "blockyard/garray/runtime.h"
#include "blockyard/server/lent.h"

// Arrays that a run shares with the program around it: global arrays as arrays of SIAL programs.
namespace blockyard::job {

/// A global array whose index k, as a SIAL program counts, is axis k of the model, or with
/// `is_reversed` axis order - 1 - k (an array of C or Python, where the last axis is fastest).
/// All ranks of its group may use it in runs; no other code writes to it during one.
struct GlobalArray {
  const garray::Runtime& runtime;
  const garray::Array& array;
  bool is_reversed = false;
  std::shared_ptr<const void> owner = {};  ///< shared by all copies: both references live as long
};

using Segments = std::vector<std::vector<base::Extent>>;

/// How blocks of global arrays came to a run. Any thread.
struct Exchanged {
  std::atomic<std::uint64_t> in_place = 0;  ///< lent where they lie
  std::atomic<std::uint64_t> copied = 0;
};

/// The arrays servers lend from: a block contiguous in the memory of one rank of this node is lent
/// as it is; any other is copied, one-sidedly, on first use.
/// name: of the program's array. Throws Error{bad_input} if shape or type differ.
[[nodiscard]] server::Lent lend(const std::string& name, const std::string& label,
                                const GlobalArray& array, const Segments& segments,
                                array::ElementType type,
                                std::shared_ptr<Exchanged> exchanged);  // shared: outlives the run

/// Puts a block of the program's array to its place; no values: zeros. One-sided.
void store_block(const GlobalArray& array, const array::Grid& grid, std::uint64_t number,
                 std::span<const std::byte> values);

/// Throws Error{bad_input} if shape or type differ.
void require_same(const std::string& name, const GlobalArray& array, const Segments& segments,
                  array::ElementType type);

}  // namespace blockyard::job
