// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lsp/server.h"

#include <gtest/gtest.h>

#include <sstream>

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
  Server server_{
      [] {
        return std::make_unique<sial::MapLoader>(std::map<std::string, std::string, std::less<>>());
      },
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

TEST_F(Conversation, answers_a_request_of_the_newest_text_before_it_is_checked) {
  open("file:///x.sial", 1);
  say("textDocument/documentSymbol", {{"textDocument", {{"uri", "file:///x.sial"}}}}, 1);
  ASSERT_EQ(diagnostics().size(), 1U);
  ASSERT_EQ(sent_.size(), 2U);
  EXPECT_EQ(sent_[0]["id"], 1);
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
