// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <string>

#include "blockyard/array/block_id.h"
#include "blockyard/flow/bind.h"
#include "blockyard/program/program.h"

namespace blockyard::flow {

/// The value of a scalar; of a real one the imaginary part is 0.
using Number = std::complex<double>;

/// Names of things for messages: everything an error says about a block or a line comes from here.
struct Naming {
  const program::Program& program;
  const Tables& tables;

  /// "file.sial:12"
  [[nodiscard]] std::string place(std::int32_t pc) const { return place_of(program, pc); }
  [[nodiscard]] const std::string& array(std::int32_t array) const {
    return program.arrays[static_cast<std::size_t>(array)].name;
  }
  [[nodiscard]] const std::string& index(std::int32_t index) const {
    return program.indexes[static_cast<std::size_t>(index)].name;
  }
  /// "a[1,2]": an array and segment numbers
  [[nodiscard]] std::string block(const array::BlockId& id) const;
};

}  // namespace blockyard::flow
