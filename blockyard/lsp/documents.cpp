// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lsp/documents.h"

#include <filesystem>

namespace blockyard::lsp {
namespace {

class OpenLoader final : public sial::SourceLoader {
 public:
  OpenLoader(const Documents& documents, std::unique_ptr<sial::SourceLoader> disk)
      : documents_(documents), disk_(std::move(disk)) {}

  std::optional<sial::Source> load(std::string_view name, std::string_view importer,
                                   std::vector<std::string>& searched) override {
    const std::string neighbour =
        importer.empty()
            ? std::string(name)
            : (std::filesystem::path(importer).parent_path() / name).lexically_normal().string();
    if (const std::string* text = documents_.find(neighbour)) return sial::Source{neighbour, *text};
    auto found = disk_->load(name, importer, searched);
    if (found)
      if (const std::string* text = documents_.find(found->path)) found->text = *text;
    return found;
  }

 private:
  const Documents& documents_;
  std::unique_ptr<sial::SourceLoader> disk_;
};

}  // namespace

const std::string* Documents::find(const std::string& path) const {
  const auto found = texts_.find(path);
  return found == texts_.end() ? nullptr : &found->second;
}

std::string Documents::text(const std::string& path) const {
  if (const std::string* open = find(path)) return *open;
  std::vector<std::string> searched;
  const auto found = make_loader_()->load(path, "", searched);
  return found ? found->text : "";
}

std::unique_ptr<sial::SourceLoader> Documents::loader() const {
  return std::make_unique<OpenLoader>(*this, make_loader_());
}

}  // namespace blockyard::lsp
