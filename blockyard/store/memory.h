// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "blockyard/store/file.h"

namespace blockyard::store {

/// Files in memory: for tests, and as the shortest complete store. mutex_ guards files_.
class MemoryStore final : public Store {
 public:
  [[nodiscard]] std::unique_ptr<File> open(const std::filesystem::path& path,
                                           OpenMode mode) override;
  void remove(const std::filesystem::path& path) override;
  [[nodiscard]] bool holds(const std::filesystem::path& path) const;

 private:
  struct Content;
  class MemoryFile;
  mutable std::mutex mutex_;
  // Shared by the store and the open files: a removed file stays usable.
  std::map<std::filesystem::path, std::shared_ptr<Content>> files_;
};

}  // namespace blockyard::store
