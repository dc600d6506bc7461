// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/compile.h"

#include "blockyard/program/print.h"
#include "blockyard/program/verify.h"
#include "blockyard/sial/check.h"
#include "blockyard/sial/detail/units.h"
#include "blockyard/sial/emit.h"
#include "blockyard/sial/lex.h"

namespace blockyard::sial {
namespace {

/// The front half: text to trees to the checked program.
std::optional<checked::Unit> check_all(std::string_view path, SourceLoader& loader,
                                       Findings& findings) {
  const std::vector<ast::Unit> units = detail::load_units(path, loader, findings);
  // Broken statements are left out of the trees: what is whole is checked in the same run.
  if (units.empty()) return std::nullopt;
  checked::Unit unit = check(units, findings);
  if (findings.has_error()) return std::nullopt;
  return unit;
}

/// A program that the interpreter can rely on. The checker should have found what is wrong with a
/// source; what it lets through is found here, in the words of the program.
std::optional<program::Program> emit_verified(const checked::Unit& unit, Findings& findings) {
  program::Program result = emit(unit);
  const auto fault = program::fault_of(result);
  if (!fault) return result;
  const program::SourceLine at = fault->at.value_or(program::SourceLine{0, 1});
  findings.error("not-executable", {at.file, at.line}, fault->text,
                 "the checker should have said what is wrong here: please report it, and write the "
                 "statement in another way");
  return std::nullopt;
}

}  // namespace

Compilation compile_file(std::string_view path, SourceLoader& loader) {
  Findings findings;
  Compilation result;
  if (const auto unit = check_all(path, loader, findings))
    result.program = emit_verified(*unit, findings);
  result.found = findings.take();
  return result;
}

Compilation compile_text(std::string_view text, std::string_view path) {
  std::map<std::string, std::string, std::less<>> texts;
  texts.emplace(path, text);
  MapLoader loader(std::move(texts));
  return compile_file(path, loader);
}

std::vector<Diagnostic> check_file(std::string_view path, SourceLoader& loader) {
  Findings findings;
  if (const auto unit = check_all(path, loader, findings))
    static_cast<void>(emit_verified(*unit, findings));
  return findings.take();
}

std::vector<std::string> source_files(std::string_view path, SourceLoader& loader) {
  Findings findings;
  static_cast<void>(detail::load_units(path, loader, findings));
  std::vector<std::string> files;
  for (const Source& source : findings.sources()) files.push_back(source.path);
  return files;
}

Printed print_stage(std::string_view path, SourceLoader& loader, Stage stage) {
  Findings findings;
  Printed result;
  if (stage == Stage::tokens || stage == Stage::ast) {
    const auto units = detail::load_units(path, loader, findings);
    if (stage == Stage::tokens && !findings.sources().empty()) {
      Findings again;
      result.text = print_tokens(lex(again.add_source(findings.sources().front()), again));
    } else {
      for (const auto& unit : units) result.text += print_ast(unit);
    }
  } else if (const auto unit = check_all(path, loader, findings)) {
    if (stage == Stage::checked)
      result.text = print_checked(*unit);
    else if (const auto emitted = emit_verified(*unit, findings))
      result.text = program::print(*emitted);
  }
  result.found = findings.take();
  return result;
}

}  // namespace blockyard::sial
