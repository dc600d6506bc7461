// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::store {

using base::Errc;
using base::Error;

struct MemoryStore::Content {
  std::mutex mutex;  // guards bytes
  std::vector<std::byte> bytes;
};

class MemoryStore::MemoryFile final : public File {
 public:
  MemoryFile(std::shared_ptr<Content> content, std::string name, bool is_writable)
      : content_(std::move(content)), name_(std::move(name)), is_writable_(is_writable) {}

  void read_at(std::uint64_t offset, std::span<std::byte> into) override {
    const std::lock_guard lock(content_->mutex);
    const auto& bytes = content_->bytes;
    if (into.empty()) return;
    if (offset > bytes.size() || into.size() > bytes.size() - offset)
      throw Error(Errc::io, fmt::format("cannot read {}: it ends at byte {}", name_, bytes.size()));
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
  }

  void write_at(std::uint64_t offset, std::span<const std::byte> from) override {
    if (!is_writable_)
      throw Error(Errc::io, fmt::format("cannot write {}: it is open for reading", name_));
    const std::lock_guard lock(content_->mutex);
    auto& bytes = content_->bytes;
    if (!from.empty() && offset + from.size() > bytes.size()) bytes.resize(offset + from.size());
    std::copy(from.begin(), from.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
  }

  [[nodiscard]] std::uint64_t size() override {
    const std::lock_guard lock(content_->mutex);
    return content_->bytes.size();
  }

  void sync() override {}

 private:
  std::shared_ptr<Content> content_;
  std::string name_;
  bool is_writable_;
};

std::unique_ptr<File> MemoryStore::open(const std::filesystem::path& path, OpenMode mode) {
  const std::lock_guard lock(mutex_);
  auto found = files_.find(path);
  const bool creates = mode == OpenMode::create || mode == OpenMode::direct;
  if (!creates && found == files_.end())
    throw Error(Errc::io, fmt::format("cannot open {}: no such file", path.string()));
  if (creates) found = files_.insert_or_assign(path, std::make_shared<Content>()).first;
  return std::make_unique<MemoryFile>(found->second, path.string(), mode != OpenMode::read);
}

void MemoryStore::remove(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  files_.erase(path);
}

bool MemoryStore::holds(const std::filesystem::path& path) const {
  const std::lock_guard lock(mutex_);
  return files_.contains(path);
}

}  // namespace blockyard::store
