// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "blockyard/flow/match.h"
#include "blockyard/tensor/permute.h"
#include "blockyard/tensor/view.h"

namespace blockyard::flow {

/// How the copies of a program run: planned once per instruction and set of shapes, of which the
/// last is kept. What it gives holds until the next call for that instruction. One thread.
class Copies {
 public:
  using View = tensor::View<std::byte>;  ///< only where elements stand counts

  explicit Copies(std::size_t instructions) : kept_(instructions) {}

  /// For the instruction at `pc`, whose positions `match` pairs.
  /// Throws Error{bad_input} if the two sides do not go together.
  [[nodiscard]] const tensor::PermutePlan& of(std::int32_t pc, const Match& match, const View& to,
                                              const View& from);

 private:
  /// Where the elements of a block stand, without their address.
  struct Layout {
    tensor::Shape shape;
    tensor::Strides strides{};
    friend bool operator==(const Layout&, const Layout&) = default;
  };
  struct Kept {
    Layout to;
    Layout from;
    tensor::PermutePlan plan;
  };
  static Layout squeeze(const Layout& layout, const std::vector<std::size_t>& positions);

  std::vector<std::unique_ptr<Kept>> kept_;  ///< by pc
};

}  // namespace blockyard::flow
