// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/faulty.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::store {
namespace {

constexpr std::array<std::string_view, 6> verbs{"open",    "read", "write",
                                                "look at", "sync", "remove"};

[[noreturn]] void fail(Call call, const std::filesystem::path& path) {
  throw base::Error(base::Errc::io,
                    fmt::format("cannot {} {}: No space left on device (a fault made by a test)",
                                verbs[static_cast<std::size_t>(call)], path.string()));
}

}  // namespace

class FaultyStore::FaultyFile final : public File {
 public:
  FaultyFile(FaultyStore& store, std::unique_ptr<File> inner, std::filesystem::path path)
      : store_(store), inner_(std::move(inner)), path_(std::move(path)) {}

  void read_at(std::uint64_t offset, std::span<std::byte> into) override {
    const bool flips = store_.strikes(Call::read_at, path_);
    inner_->read_at(offset, into);
    if (flips && !into.empty()) into[into.size() / 2] ^= std::byte{0x10};
  }

  void write_at(std::uint64_t offset, std::span<const std::byte> from) override {
    if (!store_.strikes(Call::write_at, path_)) return inner_->write_at(offset, from);
    if (store_.fault_.kind == Fault::Kind::short_write) {
      inner_->write_at(offset, from.first(from.size() / 2));
      fail(Call::write_at, path_);
    }
    std::vector<std::byte> wrong(from.begin(), from.end());
    if (!wrong.empty()) wrong[wrong.size() / 2] ^= std::byte{0x10};
    inner_->write_at(offset, wrong);
  }

  [[nodiscard]] std::uint64_t size() override {
    (void)store_.strikes(Call::size, path_);
    return inner_->size();
  }

  void reserve(std::uint64_t bytes) override { inner_->reserve(bytes); }

  void sync() override {
    (void)store_.strikes(Call::sync, path_);
    inner_->sync();
  }

 private:
  FaultyStore& store_;
  std::unique_ptr<File> inner_;
  std::filesystem::path path_;
};

std::unique_ptr<File> FaultyStore::open(const std::filesystem::path& path, OpenMode mode) {
  (void)strikes(Call::open, path);
  return std::make_unique<FaultyFile>(*this, inner_.open(path, mode), path);
}

void FaultyStore::remove(const std::filesystem::path& path) {
  (void)strikes(Call::remove, path);
  inner_.remove(path);
}

int FaultyStore::calls(Call call) const {
  const std::lock_guard lock(mutex_);
  return calls_[static_cast<std::size_t>(call)];
}

bool FaultyStore::strikes(Call call, const std::filesystem::path& path) {
  int before = 0;
  {
    const std::lock_guard lock(mutex_);
    before = calls_[static_cast<std::size_t>(call)]++;
  }
  if (call != fault_.call || before < fault_.first || before >= fault_.first + fault_.count)
    return false;
  if (fault_.kind == Fault::Kind::fail) fail(call, path);
  return true;
}

}  // namespace blockyard::store
