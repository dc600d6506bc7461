// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blockyard::sial {

/// The text of one source file, which is never included twice.
struct Source {
  std::string path;
  std::string text;
  std::string identity = {};  ///< the same for all spellings of a path; "": the path itself

  [[nodiscard]] const std::string& id() const { return identity.empty() ? path : identity; }
};

/// Where the compiler gets source text from. One thread.
class SourceLoader {
 public:
  virtual ~SourceLoader() = default;
  /// The file that `name` means: an argument of the user where `importer` is empty, else what
  /// `import "name"` in file `importer` asks for. Nothing if there is none; then `searched` holds
  /// every place that was tried, with the reason after a colon where there is one that cannot be
  /// read.
  [[nodiscard]] virtual std::optional<Source> load(std::string_view name, std::string_view importer,
                                                   std::vector<std::string>& searched) = 0;
};

/// Files: an import is looked for next to the importing file, then in each folder in order.
class FileLoader final : public SourceLoader {
 public:
  explicit FileLoader(std::vector<std::string> folders = {}) : folders_(std::move(folders)) {}
  [[nodiscard]] std::optional<Source> load(std::string_view name, std::string_view importer,
                                           std::vector<std::string>& searched) override;

 private:
  std::vector<std::string> folders_;
};

/// Texts held in memory by name, for tests and tools.
class MapLoader final : public SourceLoader {
 public:
  explicit MapLoader(std::map<std::string, std::string, std::less<>> texts)
      : texts_(std::move(texts)) {}
  [[nodiscard]] std::optional<Source> load(std::string_view name, std::string_view importer,
                                           std::vector<std::string>& searched) override;

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

}  // namespace blockyard::sial
