// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "blockyard/lsp/documents.h"
#include "blockyard/lsp/message.h"
#include "blockyard/lsp/positions.h"
#include "blockyard/sial/symbols.h"

/// Changes of texts that the server offers, as the protocol's WorkspaceEdit and CodeAction.
namespace blockyard::lsp {

/// One change for each diagnostic that says "did you mean 'x'?": x in its place.
[[nodiscard]] Json quick_fixes(const std::string& uri, const Json& diagnostics);

/// A range of the protocol for `length` bytes from a column, both as the compiler counts.
[[nodiscard]] Json range_of(const Lines& lines, std::uint32_t line, std::uint32_t column,
                            std::uint32_t length);

/// Of the declared names, the one that `use` means: "x", or "lib.x" of the program lib, whose file
/// `documents` have. Null if there is none.
[[nodiscard]] const sial::DeclaredName* find_declared(const std::vector<sial::DeclaredName>& names,
                                                      const std::string& use,
                                                      const Documents& documents);

/// `old` gets the name `fresh` in the open texts, in the file that declares it, and in the SIAL
/// files next to that one, as far as the name there is this declaration.
/// Throws Error{bad_input} if `fresh` is not a name, or already means something in one of them.
[[nodiscard]] Json rename(const Documents& documents, const sial::DeclaredName& old,
                          const std::string& fresh);

}  // namespace blockyard::lsp
