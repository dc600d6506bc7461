// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lsp/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "blockyard/base/current_error.h"
#include "blockyard/base/error.h"
#include "blockyard/lsp/edits.h"
#include "blockyard/lsp/positions.h"
#include "blockyard/lsp/signature_help.h"
#include "blockyard/lsp/super_texts.h"
#include "blockyard/sial/compile.h"
#include "blockyard/sial/format.h"

namespace blockyard::lsp {
namespace {

// Numbers of the protocol.
constexpr int parse_error = -32700;
constexpr int method_not_found = -32601;
constexpr int invalid_request = -32600;
constexpr int invalid_parameters = -32602;
constexpr int internal_error = -32603;
constexpr int request_failed = -32803;
constexpr int whole_text = 1;  // of TextDocumentSyncKind

/// A request of a kind that we do not have.
struct Unknown {};

template <class Place>
Json range_of(const Lines& lines, const Place& at) {
  return range_of(lines, at.line, at.column, at.length);
}

std::string document_of(const Json& parameters) {
  return path_of(parameters.at("textDocument").at("uri").get<std::string>());
}

/// SymbolKind of the protocol.
int symbol_kind(const std::string& kind) {
  if (kind == "proc" || kind == "special") return 12;  // function
  if (kind == "int" || kind == "scalar") return 13;    // variable
  if (kind.ends_with("index")) return 14;              // constant
  return 18;                                           // array
}

/// CompletionItemKind of the protocol.
int completion_kind(const std::string& kind) {
  if (kind == "proc" || kind == "special") return 3;  // function
  return kind.ends_with("index") ? 21 : 6;            // constant, variable
}

Json diagnostic(const Lines& lines, const sial::Diagnostic& found) {
  std::string text = found.message;
  if (!found.hint.empty()) text += "\n" + found.hint;
  return {{"range", range_of(lines, found)},
          {"severity", found.severity == sial::Severity::error ? 1 : 2},
          {"code", found.code},
          {"source", "blockyard"},
          {"message", text}};
}

/// An error in a file that is not open, for the head of the program that imports it. Without the
/// hint: a change that it suggests is not one of the program.
sial::Diagnostic in_import(const sial::Diagnostic& found) {
  sial::Diagnostic at_head;
  at_head.code = found.code;
  at_head.message = fmt::format("{}:{}: {}", found.file, found.line, found.message);
  return at_head;
}

Json capabilities() {
  return {{"capabilities",
           {{"textDocumentSync", {{"openClose", true}, {"change", whole_text}}},
            {"hoverProvider", true},
            {"definitionProvider", true},
            {"referencesProvider", true},
            {"completionProvider", Json::object()},
            {"documentSymbolProvider", true},
            {"documentFormattingProvider", true},
            {"renameProvider", {{"prepareProvider", true}}},
            {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
            {"signatureHelpProvider", {{"triggerCharacters", {" "}}}},
            {"positionEncoding", "utf-16"}}},
          {"serverInfo", {{"name", "blockyard"}}}};
}

}  // namespace

Server::Server(MakeLoader make_loader, std::vector<std::string> super_instructions, Send send)
    : documents_(std::move(make_loader)),
      super_instructions_(std::move(super_instructions)),
      send_(std::move(send)) {}

void Server::serve(std::istream& in) {
  while (!is_over_) {
    if (is_stale_ && in.rdbuf()->in_avail() <= 0) publish_all();
    const auto message = read_message(in);
    if (!message) return;
    take(*message);
  }
}

void Server::take(const Json& message) {
  const bool is_good =
      message.is_object() && message.contains("method") && message["method"].is_string();
  const Json id = message.is_object() ? message.value("id", Json()) : Json();
  const auto fail = [&](int code, const std::string& text) {
    send_({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", text}}}});
  };
  if (message.is_discarded()) return fail(parse_error, "a message is not JSON");
  if (!is_good) {
    // An answer to a request of ours has no method; there are none, and it is let pass.
    if (!message.is_object() || !message.contains("result"))
      fail(invalid_request, "a message needs a method");
    return;
  }
  const auto method = message["method"].get<std::string>();
  if (is_shut_down_ && message.contains("id"))
    return fail(invalid_request, method + ": the server is shut down");
  const Json parameters = message.value("params", Json::object());
  try {
    if (message.contains("id"))
      send_({{"jsonrpc", "2.0"}, {"id", id}, {"result", answer(method, parameters)}});
    else
      note(method, parameters);
  } catch (const Unknown&) {
    fail(method_not_found, "unknown method " + method);
  } catch (const Json::exception&) {
    if (message.contains("id"))
      fail(invalid_parameters,
           method + ": a parameter is missing or of another type than expected");
  } catch (const std::exception&) {
    const base::Error error = base::current_error();
    const bool is_refused = error.code() == base::Errc::bad_input;
    if (message.contains("id")) fail(is_refused ? request_failed : internal_error, error.what());
  }
}

Json Server::answer(const std::string& method, const Json& parameters) {
  if (method == "initialize") return capabilities();
  if (method == "shutdown") {
    is_shut_down_ = true;
    return nullptr;
  }
  if (method == "textDocument/hover") return hover(parameters);
  if (method == "textDocument/definition") return definition(parameters);
  if (method == "textDocument/references") return references(parameters);
  if (method == "textDocument/completion") return completion(parameters);
  if (method == "textDocument/documentSymbol") return document_symbols(parameters);
  if (method == "textDocument/formatting") return formatting(parameters);
  if (method == "textDocument/rename") return rename_at(parameters);
  if (method == "textDocument/prepareRename") return renamed_range(parameters);
  if (method == "textDocument/signatureHelp") return signature(parameters);
  if (method == "textDocument/codeAction")
    return quick_fixes(parameters.at("textDocument").at("uri").get<std::string>(),
                       parameters.at("context").at("diagnostics"));
  throw Unknown{};
}

void Server::note(const std::string& method, const Json& parameters) {
  if (method == "exit") {
    is_over_ = true;
  } else if (method == "textDocument/didOpen") {
    const Json& document = parameters.at("textDocument");
    open(document, document.at("text"));
  } else if (method == "textDocument/didChange") {
    const Json& changes = parameters.at("contentChanges");
    if (changes.empty()) return;
    open(parameters.at("textDocument"), changes.back().at("text"));
  } else if (method == "textDocument/didClose") {
    const std::string path = document_of(parameters);
    documents_.close(path);
    versions_.erase(path);
    publish(path);
    is_stale_ = true;
  }
}

void Server::open(const Json& document, const std::string& text) {
  const std::string path = path_of(document.at("uri").get<std::string>());
  documents_.open(path, text);
  is_stale_ = true;
  versions_[path] = document.value("version", 0);
}

/// A change may concern every program that imports the file.
void Server::publish_all() {
  is_stale_ = false;
  for (const auto& [path, text] : documents_.all()) publish(path);
}

/// With the version that they are of: a client can drop those of an earlier one.
void Server::publish(const std::string& path) {
  Json found = Json::array();
  if (const std::string* const text = documents_.find(path)) {
    const Lines lines(*text);
    for (const sial::Diagnostic& one : sial::check_file(path, *documents_.loader()))
      if (one.file == path)
        found.push_back(diagnostic(lines, one));
      else if (one.severity == sial::Severity::error && documents_.find(one.file) == nullptr)
        found.push_back(diagnostic(lines, in_import(one)));
  }
  Json parameters = {{"uri", uri_of(path)}, {"diagnostics", std::move(found)}};
  if (versions_.contains(path)) parameters["version"] = versions_[path];
  const char* const method = "textDocument/publishDiagnostics";
  send_({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(parameters)}});
}

std::optional<Server::Spot> Server::spot(const Json& parameters) const {
  const std::string path = document_of(parameters);
  const std::string text = documents_.text(path);
  const auto line = parameters.at("position").at("line").get<std::size_t>();
  const std::size_t column =
      Lines(text).bytes(line, parameters.at("position").at("character").get<std::size_t>());
  for (const sial::NameUse& use : sial::names_in(text))
    if (use.line == line + 1 && use.column <= column + 1 && column + 1 <= use.column + use.length)
      return Spot{path, use};
  return std::nullopt;
}

std::vector<sial::DeclaredName> Server::declared(const std::string& path) const {
  return sial::declared_names(path, *documents_.loader());
}

std::optional<sial::DeclaredName> Server::declaration(const Spot& spot) const {
  const auto names = declared(spot.path);
  const sial::DeclaredName* const found = find_declared(names, spot.use.name, documents_);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

/// The declaration, and below it those of its indexes, with their ranges.
Json Server::hover(const Json& parameters) const {
  const auto under = spot(parameters);
  const auto found = under ? declaration(*under) : std::nullopt;
  const auto super = under ? super_texts().find(under->use.name) : super_texts().end();
  const bool is_super = super != super_texts().end() && (!found || found->kind == "special");
  if (!found && !is_super) return nullptr;
  std::string text =
      found ? found->declaration : "special " + super->first + " " + super->second.access;
  std::set<std::string> told;
  if (found)
    for (const sial::DeclaredName& name : declared(under->path))
      if (std::ranges::count(found->indexes, name.name) > 0 && told.insert(name.name).second)
        text += "\n" + name.declaration;
  text = "```sial\n" + text + "\n```";
  if (is_super) text += "\n" + super->second.text;
  const Lines lines(documents_.text(under->path));
  return {{"contents", {{"kind", "markdown"}, {"value", text}}},
          {"range", range_of(lines, under->use)}};
}

Json Server::definition(const Json& parameters) const {
  const auto under = spot(parameters);
  const auto found = under ? declaration(*under) : std::nullopt;
  if (!found) return nullptr;
  return {{"uri", uri_of(found->file)},
          {"range", range_of(Lines(documents_.text(found->file)), *found)}};
}

/// In the same text; and the declaration, if it is in another.
Json Server::references(const Json& parameters) const {
  const auto under = spot(parameters);
  const auto found = under ? declaration(*under) : std::nullopt;
  if (!found) return Json::array();
  Json places = Json::array();
  const std::string text = documents_.text(under->path);
  const Lines lines(text);
  const auto names = declared(under->path);
  const auto is_meant = [&](const std::string& use) {
    const sial::DeclaredName* const meant = find_declared(names, use, documents_);
    return meant != nullptr && *meant == *found;
  };
  for (const sial::NameUse& use : sial::names_in(text))
    if (use.name == under->use.name || (use.name.ends_with(found->name) && is_meant(use.name)))
      places.push_back({{"uri", uri_of(under->path)}, {"range", range_of(lines, use)}});
  if (found->file != under->path) places.push_back(definition(parameters));
  return places;
}

Json Server::completion(const Json& parameters) const {
  Json items = Json::array();
  std::set<std::string> told;
  for (const sial::DeclaredName& name : declared(document_of(parameters)))
    if (told.insert(name.name).second)
      items.push_back({{"label", name.name},
                       {"kind", completion_kind(name.kind)},
                       {"detail", name.declaration}});
  for (const std::string& name : super_instructions_)
    if (told.insert(name).second) {
      Json item = {{"label", name}, {"kind", 3}, {"detail", "super instruction"}};
      if (const auto known = super_texts().find(name); known != super_texts().end())
        item["documentation"] = {{"kind", "markdown"}, {"value", known->second.text}};
      items.push_back(std::move(item));
    }
  constexpr int keyword = 14;
  for (const std::string_view word : sial::keywords())
    items.push_back({{"label", word}, {"kind", keyword}});
  return items;
}

Json Server::document_symbols(const Json& parameters) const {
  const std::string path = document_of(parameters);
  const Lines lines(documents_.text(path));
  Json symbols = Json::array();
  for (const sial::DeclaredName& name : declared(path)) {
    if (name.file != path) continue;
    const Json where = range_of(lines, name);
    symbols.push_back({{"name", name.name},
                       {"detail", name.declaration},
                       {"kind", symbol_kind(name.kind)},
                       {"range", where},
                       {"selectionRange", where}});
  }
  return symbols;
}

/// The whole text in the one layout; nothing to change where it has errors.
Json Server::formatting(const Json& parameters) const {
  const std::string path = document_of(parameters);
  const std::string text = documents_.text(path);
  const sial::Formatted formatted = sial::format(text, path);
  if (sial::has_error(formatted.found) || formatted.text == text) return Json::array();
  const Lines lines(text);
  const Json all = {{"start", {{"line", 0}, {"character", 0}}},
                    {"end", {{"line", lines.count()}, {"character", 0}}}};
  return Json::array({{{"range", all}, {"newText", formatted.text}}});
}

/// Of "lib.x" that of x. Null where there is nothing to rename.
Json Server::renamed_range(const Json& parameters) const {
  const auto under = spot(parameters);
  const auto found = under ? declaration(*under) : std::nullopt;
  if (!found) return nullptr;
  sial::NameUse use = under->use;
  const auto length = static_cast<std::uint32_t>(found->name.size());
  use.column += use.length - length;
  use.length = length;
  return range_of(Lines(documents_.text(under->path)), use);
}

Json Server::rename_at(const Json& parameters) const {
  const auto under = spot(parameters);
  const auto found = under ? declaration(*under) : std::nullopt;
  if (!found) throw base::Error(base::Errc::bad_input, "no declared name here");
  return rename(documents_, *found, parameters.at("newName").get<std::string>());
}

Json Server::signature(const Json& parameters) const {
  const std::string path = document_of(parameters);
  const auto line = parameters.at("position").at("line").get<std::size_t>();
  const Lines lines(documents_.text(path));
  const std::size_t bytes =
      lines.bytes(line, parameters.at("position").at("character").get<std::size_t>());
  return signature_help(lines.text(line).substr(0, bytes), declared(path));
}

}  // namespace blockyard::lsp
