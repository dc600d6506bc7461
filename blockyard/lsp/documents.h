// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "blockyard/sial/source.h"

namespace blockyard::lsp {

/// Gives a loader of files on disk, with the folders for imports.
using MakeLoader = std::function<std::unique_ptr<sial::SourceLoader>()>;

/// The texts that are open in the editor, by path.
class Documents {
 public:
  explicit Documents(MakeLoader make_loader) : make_loader_(std::move(make_loader)) {}

  void open(const std::string& path, std::string text) { texts_[path] = std::move(text); }
  void close(const std::string& path) { texts_.erase(path); }
  [[nodiscard]] const std::map<std::string, std::string>& all() const noexcept { return texts_; }
  /// Null if it is not open.
  [[nodiscard]] const std::string* find(const std::string& path) const;
  /// The text as it is open, else as it is on disk, else empty.
  [[nodiscard]] std::string text(const std::string& path) const;

  /// Loads open documents from here, and all else from disk. Must not outlive this.
  [[nodiscard]] std::unique_ptr<sial::SourceLoader> loader() const;

 private:
  MakeLoader make_loader_;
  std::map<std::string, std::string> texts_;
};

}  // namespace blockyard::lsp
