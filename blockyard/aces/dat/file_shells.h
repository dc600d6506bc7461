// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/aces/dat/dat.h"

/// The centres and shells of a .dat file, checked against the lengths of its arrays. Functions
/// throw Error{bad_input} with what does not fit.
namespace blockyard::aces::dat {

/// A shell as the file has it, checked against the lengths of the arrays.
struct FileShell {
  std::size_t centre = 0;  ///< from 0
  int momentum = 0;
  std::span<const double> exponents;
  std::vector<double> coefficients;  ///< contraction by contraction
  std::int32_t exponents_at = 1;     ///< place in the array, from 1
  std::int32_t coefficients_at = 1;
  std::int32_t first_contraction = 1;
  [[nodiscard]] std::size_t contractions() const { return coefficients.size() / exponents.size(); }
  [[nodiscard]] std::span<const double> contraction(std::size_t k) const {
    return std::span(coefficients).subspan(k * exponents.size(), exponents.size());
  }
};

[[noreturn]] void refuse(const std::string& what);

[[nodiscard]] std::span<const double> scalars(const DatFile& file, std::string_view name);
[[nodiscard]] std::int32_t int_constant(const DatFile& file, std::string_view name);
[[nodiscard]] std::size_t shell_count(const DatFile& file);

/// Centres by number, and those on which shells stand.
class Centres {
 public:
  Centres(const DatFile& file, std::size_t shells);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::span<const double> position(std::size_t centre) const {
    return positions_.subspan(3 * centre, 3);
  }
  /// The centre of a shell: what `atom` says, and where tcoords says another place, the one there.
  [[nodiscard]] std::size_t of_shell(std::size_t shell) const;

 private:
  [[nodiscard]] bool is_at(std::size_t shell, std::size_t centre) const;

  std::span<const double> positions_;
  std::size_t count_;
  std::span<const std::int32_t> centre_of_;
  std::span<const double> places_;
};

[[nodiscard]] std::vector<FileShell> read_shells(const DatFile& file, const Centres& centres,
                                                 std::size_t count);

}  // namespace blockyard::aces::dat
