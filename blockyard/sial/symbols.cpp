// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/symbols.h"

#include "blockyard/sial/detail/parser.h"
#include "blockyard/sial/detail/units.h"
#include "blockyard/sial/lex.h"

namespace blockyard::sial {
namespace {

std::string trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(line.substr(first, line.find_last_not_of(" \t\r") + 1 - first));
}

DeclaredName make(const Findings& findings, const ast::Name& name, std::string kind) {
  const Source& source = findings.sources()[name.at.file];
  return {name.text,
          std::move(kind),
          source.path,
          name.at.line,
          name.at.column,
          name.at.length,
          trimmed(findings.line_of(name.at)),
          {}};
}

}  // namespace

std::vector<DeclaredName> declared_names(std::string_view path, SourceLoader& loader) {
  Findings findings;
  std::vector<DeclaredName> all;
  for (const ast::Unit& unit : detail::load_units(path, loader, findings)) {
    for (const ast::Declaration& declaration : unit.declarations) {
      DeclaredName one = make(findings, declaration.name, declaration.keyword.text);
      for (const ast::Name& index : declaration.indexes) one.indexes.push_back(index.text);
      if (declaration.parent) one.indexes.push_back(declaration.parent->text);
      all.push_back(std::move(one));
    }
    for (const ast::Proc& proc : unit.procs) all.push_back(make(findings, proc.name, "proc"));
  }
  return all;
}

std::vector<NameUse> names_in(std::string_view text) {
  Findings findings;
  std::vector<NameUse> all;
  for (Token& token : lex(findings.add_source({"text.sial", std::string(text)}), findings))
    if (token.kind == TokenKind::name)
      all.push_back({token.at.line, token.at.column, token.at.length, std::move(token.text)});
  return all;
}

const std::vector<std::string_view>& keywords() {
  static const std::vector<std::string_view> words = [] {
    const auto reserved = detail::reserved_words();
    std::vector<std::string_view> all(reserved.begin(), reserved.end());
    // A name may have these too: they mean something in their place only.
    all.insert(all.end(),
               {"abs", "and", "clear", "conj", "cycle", "elseif", "exists", "imag", "in", "not",
                "or", "persistent", "prequest", "real", "sparse", "sqrt", "stop"});
    return all;
  }();
  return words;
}

}  // namespace blockyard::sial
