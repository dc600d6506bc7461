// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "blockyard/lsp/documents.h"
#include "blockyard/lsp/message.h"
#include "blockyard/sial/symbols.h"

namespace blockyard::lsp {

/// The language server: takes messages of a client and sends answers and diagnostics. One thread.
class Server {
 public:
  using Send = std::function<void(const Json&)>;
  /// `super_instructions`: names that completion offers after `execute`.
  Server(MakeLoader make_loader, std::vector<std::string> super_instructions, Send send);

  /// Takes the messages of a stream until exit or its end. Texts are checked when no more input
  /// waits: of versions that come faster than that, the last alone.
  /// Throws base::Error{bad_input} as read_message does.
  void serve(std::istream& in);
  /// Answers one message. Whatever it holds, no exception comes out.
  void take(const Json& message);
  /// Whether the client said exit.
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }
  /// 0 if the client shut down before it said exit.
  [[nodiscard]] int exit_code() const noexcept { return is_shut_down_ ? 0 : 1; }

 private:
  /// A name under the cursor and the text around it.
  struct Spot {
    std::string path;
    sial::NameUse use;
  };
  [[nodiscard]] Json answer(const std::string& method, const Json& parameters);
  void note(const std::string& method, const Json& parameters);
  void open(const Json& document, const std::string& text);
  void publish(const std::string& path);
  void publish_all();

  [[nodiscard]] Json hover(const Json& parameters) const;
  [[nodiscard]] Json definition(const Json& parameters) const;
  [[nodiscard]] Json references(const Json& parameters) const;
  [[nodiscard]] Json completion(const Json& parameters) const;
  [[nodiscard]] Json document_symbols(const Json& parameters) const;
  [[nodiscard]] Json formatting(const Json& parameters) const;
  [[nodiscard]] Json rename_at(const Json& parameters) const;
  [[nodiscard]] Json renamed_range(const Json& parameters) const;
  [[nodiscard]] Json signature(const Json& parameters) const;

  [[nodiscard]] std::optional<Spot> spot(const Json& parameters) const;
  [[nodiscard]] std::vector<sial::DeclaredName> declared(const std::string& path) const;
  [[nodiscard]] std::optional<sial::DeclaredName> declaration(const Spot& spot) const;

  Documents documents_;
  std::vector<std::string> super_instructions_;
  Send send_;
  std::map<std::string, int> versions_;  ///< as the client counts those of open documents, by path
  bool is_stale_ = false;                ///< a text changed since the last diagnostics
  bool is_shut_down_ = false;
  bool is_over_ = false;
};

}  // namespace blockyard::lsp
