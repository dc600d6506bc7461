// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/array/dense_array.h"
#include "blockyard/array/element.h"
#include "blockyard/array/segments.h"

namespace blockyard::flow {

using array::DenseArray;
using base::Extent;

/// What a job gives to its programs. Plain values; names in lower case.
struct Environment {
  std::map<std::string, std::int64_t, std::less<>> ints;
  std::map<std::string, double, std::less<>> scalars;
  std::map<std::string, DenseArray, std::less<>> arrays;  ///< for predefined static arrays
  array::Segments segments;
  /// Arrays that begin as what is kept under a label, as if the program restored them first.
  std::map<std::string, std::string, std::less<>> restored;
  /// Arrays that are kept under a label at the end, as if the program made them persistent.
  std::map<std::string, std::string, std::less<>> persistent;
};

/// A scalar that is kept.
struct KeptScalar {
  std::complex<double> value;
  bool is_complex = false;
  friend bool operator==(const KeptScalar&, const KeptScalar&) = default;
};

/// What a worker keeps between the programs of a job: what set_persistent named, by label.
/// Blocks of distributed and served arrays stay with the servers.
struct Kept {
  std::map<std::string, KeptScalar, std::less<>> scalars;
  std::map<std::string, DenseArray, std::less<>> arrays;
  /// Labels of distributed and served arrays: the extents of their segments, index by index.
  std::map<std::string, std::vector<std::vector<Extent>>, std::less<>> distributed;
  /// The elements of those labels; f64 of those that are not here.
  std::map<std::string, array::ElementType, std::less<>> element_types;

  [[nodiscard]] array::ElementType type_of(std::string_view label) const {
    const auto found = element_types.find(label);
    return found == element_types.end() ? array::ElementType::f64 : found->second;
  }
};

}  // namespace blockyard::flow
