// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/program/program.h"
#include "blockyard/sial/diagnostic.h"
#include "blockyard/sial/source.h"

/// The compiler from SIAL to a Program. Faults in a user's source are a list of Diagnostic,
/// never an exception.
namespace blockyard::sial {

/// `program` is there unless `found` has an error. `found` is in the order of the source.
struct Compilation {
  std::optional<program::Program> program;
  std::vector<Diagnostic> found;
};

/// Translates the program of file `path` with its imports, and verifies it. One thread.
/// Throws Error{bad_input} if a program that the checker took is not valid: a bug of ours.
[[nodiscard]] Compilation compile_file(std::string_view path, SourceLoader& loader);

/// Compiles one text without imports, named `path` in diagnostics.
[[nodiscard]] Compilation compile_text(std::string_view text, std::string_view path = "text.sial");

/// All findings of `compile_file`; throws as it does.
[[nodiscard]] std::vector<Diagnostic> check_file(std::string_view path, SourceLoader& loader);

/// The paths of the program of file `path` and of all that it imports, as far as they can be read,
/// whether or not they have errors.
[[nodiscard]] std::vector<std::string> source_files(std::string_view path, SourceLoader& loader);

/// The stages whose results can be printed.
enum class Stage { tokens, ast, checked, program };

/// The printed result of `stage` for file `path`; empty if an earlier stage failed.
struct Printed {
  std::string text;
  std::vector<Diagnostic> found;
};
[[nodiscard]] Printed print_stage(std::string_view path, SourceLoader& loader, Stage stage);

}  // namespace blockyard::sial
