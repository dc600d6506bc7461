// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace blockyard::base {

/// Sole owner of a C handle. `Kind` names the raw type, its null value and its release.
template <class Kind>
class Handle {
 public:
  using Raw = typename Kind::Raw;
  Handle() = default;
  explicit Handle(Raw raw) noexcept : raw_(raw) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, Kind::null())) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Handle() {
    if (raw_ != Kind::null()) Kind::release(raw_);
  }
  [[nodiscard]] Raw get() const noexcept { return raw_; }
  [[nodiscard]] explicit operator bool() const noexcept { return raw_ != Kind::null(); }

 private:
  Raw raw_ = Kind::null();
};

}  // namespace blockyard::base
