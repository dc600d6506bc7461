// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/block/frame.h"
#include "blockyard/worker/detail/transport.h"
#include "blockyard/worker/flow_names.h"
#include "blockyard/worker/worker.h"

namespace blockyard::worker::detail {

/// A program with its sizes in this run, and what of its worker it runs in.
struct Setting {
  Naming naming;
  Environment& environment;
  Kept& kept;
  Transport& transport;
  wire::Access& here;  ///< where the program is
  block::FramePool& frames;
  const Options& options;

  [[nodiscard]] const program::Program& program() const noexcept { return naming.program; }
  [[nodiscard]] const program::ArrayDecl& array(std::int32_t number) const {
    return naming.program.arrays[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] const program::Selector& selector(std::int32_t number) const {
    return naming.program.selectors[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] const array::Grid& grid(std::int32_t array) const {
    return naming.tables.grids[static_cast<std::size_t>(array)];
  }
  [[nodiscard]] const std::string& text(std::int32_t number) const {
    return naming.program.texts[static_cast<std::size_t>(number)];
  }
};

}  // namespace blockyard::worker::detail
