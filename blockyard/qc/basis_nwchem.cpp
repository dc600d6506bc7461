// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

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

/// The state between two lines: the shell that is being read, if any.
class NwchemReader {
 public:
  explicit NwchemReader(BasisSet& into) : into_(into), cores_(into.cores) {}

  void read_line(const std::vector<std::string_view>& words) {
    const auto keyword = base::lower(words[0]);
    if (keyword == "ecp" || keyword == "basis" || keyword == "end") {
      finish();
      for (const auto& element : into_.elements) of_other_blocks_.insert(element.first);
      in_cores_ = keyword == "ecp";
      into_.says_cartesian =
          into_.says_cartesian || std::ranges::any_of(words, [](std::string_view word) {
            return base::lower(word) == "cartesian";
          });
      return;
    }
    if (in_cores_) return cores_.read_line(words);
    if (words.size() == 2)
      if (const auto momenta = detail::parse_shell_letters(words[1]))
        return begin_shell(any_atomic_number(words[0]), *momenta);
    if (momenta_.empty()) refuse(fmt::format("expected `symbol shell`, found '{}'", words[0]));
    rows_.push_back(detail::parse_primitive(words, rows_.empty() ? 0 : rows_.front().size()));
  }

  void finish() {
    finish_shell();
    cores_.finish();
  }

 private:
  void finish_shell() {
    if (momenta_.empty()) return;
    detail::add_shell(detail::segment_contractions(momenta_, rows_),
                      into_.elements[atomic_number_]);
    momenta_.clear();
    rows_.clear();
  }

  void begin_shell(int atomic_number, std::vector<int> momenta) {
    finish_shell();
    if (of_other_blocks_.contains(atomic_number))
      refuse("this element has shells in an earlier block: a file holds one set for each element");
    atomic_number_ = atomic_number;
    momenta_ = std::move(momenta);
  }

  BasisSet& into_;
  detail::NwchemCoreReader cores_;
  bool in_cores_ = false;
  std::set<int> of_other_blocks_;  // elements with shells
  int atomic_number_ = 0;
  std::vector<int> momenta_;  // empty: no shell is open
  std::vector<detail::PrimitiveRow> rows_;
};

}  // namespace

BasisSet parse_nwchem_basis(std::string_view text, std::string_view name) {
  return detail::read_basis<NwchemReader>(text, name, '#');
}

}  // namespace blockyard::qc
