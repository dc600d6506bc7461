// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lsp/server.h"

#include <gtest/gtest.h>

#include <sstream>

#include "blockyard/lsp/signature_help.h"

namespace blockyard::lsp {
namespace {

/// A text with as many errors as its version says.
std::string text_of(int version) {
  std::string text = "sial x\n";
  for (int k = 0; k < version; ++k) text += "y" + std::to_string(k) + " = 1.0\n";
  return text + "endsial x\n";
}

class Conversation : public testing::Test {
 protected:
  void say(const std::string& method, const Json& parameters, const Json& id = nullptr) {
    Json message = {{"jsonrpc", "2.0"}, {"method", method}, {"params", parameters}};
    if (!id.is_null()) message["id"] = id;
    write_message(in_, message);
  }
  void open(const std::string& uri, int version) {
    say("textDocument/didOpen",
        {{"textDocument", {{"uri", uri}, {"version", version}, {"text", text_of(version)}}}});
  }
  void change(const std::string& uri, int version) {
    say("textDocument/didChange", {{"textDocument", {{"uri", uri}, {"version", version}}},
                                   {"contentChanges", {{{"text", text_of(version)}}}}});
  }
  /// The diagnostics that the server sends on what was said.
  std::vector<Json> diagnostics() {
    sent_.clear();
    server_.serve(in_);
    in_.clear();  // it came to the end
    std::vector<Json> found;
    for (const Json& message : sent_)
      if (message.value("method", "") == "textDocument/publishDiagnostics")
        found.push_back(message["params"]);
    return found;
  }

  std::stringstream in_;
  std::vector<Json> sent_;
  std::map<std::string, std::string, std::less<>> disk_;
  Server server_{[this] { return std::make_unique<sial::MapLoader>(disk_); },
                 {},
                 [this](const Json& message) { sent_.push_back(message); }};
};

TEST_F(Conversation, checks_the_last_of_the_versions_that_wait_alone) {
  open("file:///x.sial", 1);
  for (int version = 2; version <= 20; ++version) change("file:///x.sial", version);
  const auto found = diagnostics();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]["version"], 20);
  EXPECT_EQ(found[0]["diagnostics"].size(), 20U);
}

TEST_F(Conversation, checks_each_of_the_documents_that_open_together_once) {
  for (int k = 0; k < 10; ++k) open("file:///" + std::to_string(k) + ".sial", 1);
  EXPECT_EQ(diagnostics().size(), 10U);
}

TEST_F(Conversation, shows_a_program_the_errors_of_its_imports_that_are_not_open) {
  disk_["lib.sial"] = "sial lib\nproc go\ny = 1.0\nendproc go\nendsial lib\n";
  say("textDocument/didOpen", {{"textDocument",
                                {{"uri", "file:///x.sial"},
                                 {"version", 1},
                                 {"text", "import \"lib.sial\"\nsial x\ncall go\nendsial x\n"}}}});
  const auto found = diagnostics();
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0]["diagnostics"].size(), 1U);
  const Json& shown = found[0]["diagnostics"][0];
  EXPECT_EQ(shown["range"]["start"], (Json{{"line", 0}, {"character", 0}}));
  EXPECT_TRUE(shown["message"].get<std::string>().starts_with("lib.sial:3: ")) << shown;
}

TEST_F(Conversation, answers_a_request_of_the_newest_text_before_it_is_checked) {
  open("file:///x.sial", 1);
  say("textDocument/documentSymbol", {{"textDocument", {{"uri", "file:///x.sial"}}}}, 1);
  ASSERT_EQ(diagnostics().size(), 1U);
  ASSERT_EQ(sent_.size(), 2U);
  EXPECT_EQ(sent_[0]["id"], 1);
}

TEST(SignatureHelp, is_there_where_the_declaration_has_a_comment) {
  const auto label = [](const std::string& declaration) {
    const Json help = signature_help("execute mine a[i] ",
                                     {{"mine", "special", "x.sial", 2, 9, 4, declaration, {}}});
    return help["signatures"][0]["label"].get<std::string>();
  };
  EXPECT_EQ(label("special mine rw"), "execute mine 1: read, 2: written");
  EXPECT_EQ(label("special mine rw  # my own"), "execute mine 1: read, 2: written");
  EXPECT_EQ(label("special mine  # my own"), "execute mine");
}

TEST(SignatureHelp, is_that_of_the_page_where_the_declaration_has_no_letters) {
  const Json help =
      signature_help("execute eigen_calc a[i,j] ",
                     {{"eigen_calc", "special", "x.sial", 2, 9, 10, "special eigen_calc", {}}});
  EXPECT_EQ(help["signatures"][0]["label"], "execute eigen_calc 1: updated, 2: updated");
}

TEST_F(Conversation, checks_again_only_after_a_change) {
  open("file:///x.sial", 2);
  EXPECT_EQ(diagnostics().size(), 1U);
  say("textDocument/documentSymbol", {{"textDocument", {{"uri", "file:///x.sial"}}}}, 1);
  EXPECT_EQ(diagnostics().size(), 0U);
  say("textDocument/didClose", {{"textDocument", {{"uri", "file:///x.sial"}}}});
  const auto found = diagnostics();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0]["diagnostics"].empty());
  EXPECT_FALSE(found[0].contains("version"));
}

}  // namespace
}  // namespace blockyard::lsp
