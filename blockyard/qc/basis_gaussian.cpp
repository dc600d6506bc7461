// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/qc/basis_set.h"
#include "blockyard/qc/detail/core_reader.h"
#include "blockyard/qc/detail/read_basis.h"
#include "blockyard/qc/detail/shell_letters.h"
#include "blockyard/qc/detail/words.h"
#include "blockyard/qc/element.h"

namespace blockyard::qc {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw base::Error(base::Errc::bad_input, message);
}

/// The state between two lines: the element, and how many primitives its last shell, or terms its
/// last potential, still lacks.
class GaussianReader {
 public:
  explicit GaussianReader(BasisSet& into) : into_(into) {}

  void read_line(const std::vector<std::string_view>& words) {
    if (missing_parts_ > 0) return read_core_line(words);
    if (missing_ > 0) return read_primitive(words);
    if (words[0] == "****") {
      atomic_number_ = 0;
    } else if (atomic_number_ == 0) {
      begin_element(words);
    } else {
      begin_shell(words);
    }
  }

  void finish() const {
    if (missing_parts_ > 0)
      refuse(fmt::format("the last effective core lacks {} potentials", missing_parts_));
    if (missing_ > 0) refuse(fmt::format("the last shell lacks {} primitives", missing_));
  }

 private:
  void begin_element(const std::vector<std::string_view>& words) {
    if (words.size() > 2) refuse("expected `symbol 0`");
    auto symbol = words[0];
    if (symbol.front() == '-') symbol.remove_prefix(1);  // Gaussian: absent atoms are no error
    atomic_number_ = any_atomic_number(symbol);
    has_shells_ = into_.elements.contains(atomic_number_);
  }

  /// `I-ECP 3 28`: potentials up to l = 3, the local one, in the place of 28 electrons.
  bool begin_core(const std::vector<std::string_view>& words) {
    if (words.size() != 3 || !base::lower(words[0]).ends_with("ecp")) return false;
    const auto highest = detail::parse_integer(words[1]);
    const auto electrons = detail::parse_integer(words[2]);
    constexpr std::int64_t most_momentum = 10;
    if (!highest || *highest < 0 || *highest > most_momentum || !electrons || *electrons < 0 ||
        *electrons > last_element)
      refuse("expected `NAME L electrons` of an effective core");
    core_ = {static_cast<int>(*electrons), {}};
    missing_parts_ = *highest + 1;
    local_momentum_ = static_cast<int>(*highest);
    return true;
  }

  /// The name of a potential, the number of its terms, or a term.
  void read_core_line(const std::vector<std::string_view>& words) {
    if (missing_ > 0) {
      if (words.size() != 3) refuse("expected `power exponent coefficient` of a potential");
      detail::add_term(words[0], words[1], words[2], part_);
      if (--missing_ == 0) finish_part();
    } else if (const auto count = detail::parse_integer(words[0]); count && words.size() == 1) {
      if (*count < 1) refuse("a potential has one term at least");
      missing_ = *count;
    }
  }

  void finish_part() {
    const bool is_local = core_.parts.empty();
    part_.angular_momentum =
        is_local ? local_momentum_ : static_cast<int>(std::ssize(core_.parts)) - 1;
    detail::add_part(std::exchange(part_, {}), is_local, core_);
    if (--missing_parts_ > 0) return;
    detail::check_core(atomic_number_, core_);
    if (into_.cores.contains(atomic_number_)) refuse("this element has an effective core before");
    into_.cores[atomic_number_] = std::exchange(core_, {});
    atomic_number_ = 0;
  }

  void begin_shell(const std::vector<std::string_view>& words) {
    if (begin_core(words)) return;
    if (has_shells_)
      refuse("this element has shells in an earlier part: a file holds one set for each element");
    const auto momenta = detail::parse_shell_letters(words[0]);
    const auto count = words.size() >= 2 ? detail::parse_integer(words[1]).value_or(0) : 0;
    if (!momenta || count < 1)
      refuse(fmt::format("expected `shell primitives scale`, found '{}'", words[0]));
    if (words.size() > 2 && detail::parse_real(words[2]) != 1.0)
      refuse(fmt::format("scale factor '{}': only 1.0 is supported", words[2]));
    momenta_ = *momenta;
    missing_ = count;
  }

  void read_primitive(const std::vector<std::string_view>& words) {
    rows_.push_back(detail::parse_primitive(words, momenta_.size() + 1));
    if (--missing_ > 0) return;
    detail::add_shell(detail::segment_contractions(momenta_, rows_),
                      into_.elements[atomic_number_]);
    rows_.clear();
  }

  BasisSet& into_;
  int atomic_number_ = 0;    // 0: between two elements
  bool has_shells_ = false;  // of an earlier part, where its effective core may follow
  std::int64_t missing_ = 0;
  std::int64_t missing_parts_ = 0;  // of an effective core
  int local_momentum_ = 0;
  EffectiveCore core_;
  RadialPotential part_;
  std::vector<int> momenta_;
  std::vector<detail::PrimitiveRow> rows_;
};

}  // namespace

BasisSet parse_gaussian_basis(std::string_view text, std::string_view name) {
  return detail::read_basis<GaussianReader>(text, name, '!');
}

}  // namespace blockyard::qc
