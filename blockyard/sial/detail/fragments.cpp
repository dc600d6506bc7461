// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/detail/fragments.h"

#include <array>
#include <string>
#include <string_view>

#include "blockyard/base/text.h"

namespace blockyard::sial::detail {
namespace {

using ast::Expr;
using ast::ExprKind;

/// The contents of the three pairs of braces after `front`.
std::optional<std::array<std::string_view, 3>> braces_of(std::string_view text,
                                                         std::string_view front) {
  if (!text.starts_with(front)) return std::nullopt;
  text.remove_prefix(front.size());
  std::array<std::string_view, 3> parts;
  for (std::string_view& part : parts) {
    const std::size_t end = text.find('}');
    if (!text.starts_with('{') || end == std::string_view::npos) return std::nullopt;
    part = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
  }
  if (!text.empty()) return std::nullopt;
  return parts;
}

/// Takes the letter off the front of the text, if it stands there.
bool take(std::string_view& text, char letter) {
  if (!text.starts_with(letter)) return false;
  text.remove_prefix(1);
  return true;
}

/// Makes conditions over names, all placed at the pragma.
class Conditions {
 public:
  explicit Conditions(Place at) : at_(at) {}

  [[nodiscard]] Expr name(const std::string& text) const {
    return {ExprKind::name, at_, text, {}, {}};
  }
  [[nodiscard]] Expr cast(const std::string& type, Expr value) const {
    return {ExprKind::cast, at_, type, {std::move(value)}, {}};
  }
  [[nodiscard]] Expr block(const std::string& array, std::vector<Expr> positions) const {
    return {ExprKind::block, at_, array, std::move(positions), {}};
  }
  void add(Expr left, const std::string& relation, Expr right) {
    all_.push_back({ExprKind::relation, at_, relation, {std::move(left), std::move(right)}, {}});
  }
  [[nodiscard]] std::vector<Expr> take() { return std::move(all_); }

 private:
  Place at_;
  std::vector<Expr> all_;
};

}  // namespace

std::optional<std::vector<Expr>> fragment_conditions(const ast::Pardo& loop) {
  if (!loop.pragma) return std::nullopt;
  const std::string text = base::lower(loop.pragma->text);
  const auto braces = braces_of(text, text.starts_with("where") ? "wherefrag" : "frag");
  if (!braces) return std::nullopt;
  auto [which, of_i, of_j] = *braces;
  const bool is_other = take(which, 'n');
  const bool is_near = take(which, 'r');
  const bool is_pair = which == "ij";
  const std::size_t fragments = is_pair ? 2 : 1;
  const bool has_sense = is_pair || (which == "i" && of_j.empty() && !is_other && !is_near);
  const std::string letters = std::string(of_i) + std::string(of_j);
  if (!has_sense || letters.find_first_not_of("aovp") != std::string::npos ||
      loop.indexes.size() != fragments + letters.size())
    return std::nullopt;
  Conditions all(loop.pragma->at);
  const std::string& i = loop.indexes[0].text;
  if (is_pair) {
    const std::string& j = loop.indexes[1].text;
    if (is_other) all.add(all.name(i), "!=", all.name(j));
    const char* const distance = is_near ? "rcut_dist" : "elst_dist";
    all.add(all.block(distance, {all.name(i), all.name(j)}), "==", all.cast("scalar", all.name(i)));
  }
  for (std::size_t k = 0; k < letters.size(); ++k) {
    const char* const owner = letters[k] == 'a' ? "swao_frag" : "swmoa_frag";
    const std::string& fragment = loop.indexes[k < of_i.size() ? 0 : 1].text;
    all.add(all.block(owner, {all.cast("index", all.name(loop.indexes[fragments + k].text))}),
            "==", all.cast("scalar", all.name(fragment)));
  }
  return all.take();
}

}  // namespace blockyard::sial::detail
