// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/base/handle.h"

/// The little of HDF5 that we use, with owners and exceptions. Included in store/*.cpp only.
namespace blockyard::store::hdf5 {

template <herr_t (*Close)(hid_t)>
struct IdKind {
  using Raw = hid_t;
  static Raw null() noexcept { return H5I_INVALID_HID; }
  static void release(Raw raw) noexcept { Close(raw); }
};

template <herr_t (*Close)(hid_t)>
class Id : public base::Handle<IdKind<Close>> {
 public:
  Id() = default;
  /// Throws Error{io} with HDF5's own reason, "cannot <what>: ...", if `raw` is none.
  Id(hid_t raw, std::string_view what);
};
using FileId = Id<H5Fclose>;
using GroupId = Id<H5Gclose>;
using SetId = Id<H5Dclose>;
using SpaceId = Id<H5Sclose>;
using TypeId = Id<H5Tclose>;
using ListId = Id<H5Pclose>;
using AttributeId = Id<H5Aclose>;

/// Throws Error{io}, "cannot <what>: <HDF5's reason>", if a call failed.
void check(herr_t status, std::string_view what);
[[noreturn]] void fail(std::string_view what);

template <herr_t (*Close)(hid_t)>
Id<Close>::Id(hid_t raw, std::string_view what) : base::Handle<IdKind<Close>>(raw) {
  if (raw < 0) fail(what);
}

/// Keeps HDF5 from printing its errors, which we throw.
class Silence {
 public:
  Silence();
  ~Silence();
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// A file that is being written. HDF5 keeps a file whose closing fails, as on a full disk, and
/// crashes on it when the process ends: one that was not flushed loses its rest, and closes.
class NewFile {
 public:
  /// Throws Error{io}, "cannot <what>: <reason>", if there is no room for even a small file.
  NewFile(const std::filesystem::path& path, std::string_view what);
  ~NewFile() { close(); }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  [[nodiscard]] hid_t get() const noexcept { return file_.get(); }
  /// Writes all that HDF5 still keeps: closing would hide errors. Throws Error{io}.
  void flush(std::string_view what);
  void close() noexcept;

 private:
  FileId file_;
  bool is_flushed_ = false;
};

/// An element in memory, or in a file (little-endian): of complex ones the compound of r and i that
/// h5py makes of NumPy's.
enum class Place { memory, file };
[[nodiscard]] TypeId element_type(bool is_complex, bool is_single, Place place);
[[nodiscard]] bool is_complex(hid_t set);
[[nodiscard]] bool is_single(hid_t set);

void write_attribute(hid_t object, const char* name, const std::string& text);
void write_attribute(hid_t object, const char* name, std::span<const std::int64_t> values);
[[nodiscard]] std::string read_text_attribute(hid_t object, const char* name);
[[nodiscard]] std::vector<std::int64_t> read_attribute(hid_t object, const char* name);

/// The names in a group, in the order of the alphabet.
[[nodiscard]] std::vector<std::string> names_in(hid_t group);

/// A label as a name of HDF5, which knows no '/' and no empty name: '%' and two hexadecimal digits
/// stand for what cannot be.
[[nodiscard]] std::string name_of_label(std::string_view label);
/// Throws Error{bad_input} for a name that no label has: "%zz".
[[nodiscard]] std::string label_of_name(std::string_view name);

}  // namespace blockyard::store::hdf5
