// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/detail/hdf5.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <iterator>
#include <system_error>

#include "blockyard/base/error.h"

namespace blockyard::store::hdf5 {
namespace {

using base::Errc;
using base::Error;

/// HDF5 walks its stack of errors from the cause up: the first is the one to tell.
herr_t take_first(unsigned number, const H5E_error2_t* error, void* text) {
  if (number == 0) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

/// Of a failed call of the system HDF5 also tells time and addresses: only its message is of use.
std::string without_addresses(const std::string& reason) {
  constexpr std::string_view before = "error message = '";
  const std::size_t begin = reason.find(before);
  if (begin == std::string::npos) return reason;
  const std::size_t text = begin + before.size();
  return reason.substr(text, reason.find('\'', text) - text);
}

/// A new empty file with room for the head that HDF5 writes at once, which it would not survive if
/// that failed.
void make_room(const std::filesystem::path& path, std::string_view what) {
  constexpr off_t head_bytes = 16 << 10;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  const int error = file < 0 ? errno : ::posix_fallocate(file, 0, head_bytes);
  if (file >= 0) ::close(file);
  if (error != 0)
    throw Error(Errc::io,
                fmt::format("cannot {}: {}", what, std::generic_category().message(error)));
}

/// What is written to the file from here on goes to memory, and nowhere with it.
void divert(hid_t file) noexcept {
  void* handle = nullptr;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0) return;
  const int memory = ::memfd_create("the rest of a file", MFD_CLOEXEC);
  if (memory < 0) return;
  ::dup3(memory, *static_cast<const int*>(handle), O_CLOEXEC);
  ::close(memory);
}

/// Text of any length: what h5py gives back as a str.
TypeId text_type() {
  TypeId type(H5Tcopy(H5T_C_S1), "make a type");
  check(H5Tset_size(type.get(), H5T_VARIABLE), "make a type");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "make a type");
  return type;
}

herr_t add_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

AttributeId open_attribute(hid_t object, const char* name) {
  const std::string what = fmt::format("read the attribute '{}'", name);
  return AttributeId(H5Aopen(object, name, H5P_DEFAULT), what);
}

}  // namespace

void fail(std::string_view what) {
  std::string reason = "HDF5 gives no reason";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &reason);
  H5Eclear2(H5E_DEFAULT);
  throw Error(Errc::io, fmt::format("cannot {}: {}", what, without_addresses(reason)));
}

NewFile::NewFile(const std::filesystem::path& path, std::string_view what) {
  make_room(path, what);
  // The format of HDF5 1.8 and later, in which an attribute may have more than 64 KiB.
  const ListId access(H5Pcreate(H5P_FILE_ACCESS), what);
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_LATEST), what);
  file_ = FileId(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), what);
}

void NewFile::flush(std::string_view what) {
  check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), what);
  // Some file systems, of networks and with quotas, say only now that they could not write.
  void* raw = nullptr;
  check(H5Fget_vfd_handle(file_.get(), H5P_DEFAULT, &raw), what);
  if (::fsync(*static_cast<const int*>(raw)) != 0)
    throw Error(Errc::io,
                fmt::format("cannot {}: {}", what, std::generic_category().message(errno)));
  is_flushed_ = true;
}

void NewFile::close() noexcept {
  if (file_ && !is_flushed_) divert(file_.get());
  file_ = {};
}

void check(herr_t status, std::string_view what) {
  if (status < 0) fail(what);
}

Silence::Silence() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Silence::~Silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

TypeId element_type(bool is_complex, bool is_single, Place place) {
  const hid_t in_memory = is_single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  const hid_t in_file = is_single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  const hid_t part = place == Place::memory ? in_memory : in_file;
  if (!is_complex) return {H5Tcopy(part), "make a type"};
  const std::size_t bytes = is_single ? sizeof(float) : sizeof(double);
  TypeId type(H5Tcreate(H5T_COMPOUND, 2 * bytes), "make a type");
  check(H5Tinsert(type.get(), "r", 0, part), "make a type");
  check(H5Tinsert(type.get(), "i", bytes, part), "make a type");
  return type;
}

bool is_complex(hid_t set) {
  const TypeId type(H5Dget_type(set), "read a dataset");
  return H5Tget_class(type.get()) == H5T_COMPOUND;
}

bool is_single(hid_t set) {
  const TypeId type(H5Dget_type(set), "read a dataset");
  return H5Tget_size(type.get()) == (is_complex(set) ? 2 : 1) * sizeof(float);
}

void write_attribute(hid_t object, const char* name, const std::string& text) {
  const TypeId type = text_type();
  const SpaceId space(H5Screate(H5S_SCALAR), "make a dataspace");
  const AttributeId attribute(
      H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
      "write an attribute");
  const char* const characters = text.c_str();
  check(H5Awrite(attribute.get(), type.get(), &characters), "write an attribute");
}

void write_attribute(hid_t object, const char* name, std::span<const std::int64_t> values) {
  const hsize_t count = values.size();
  const SpaceId space(H5Screate_simple(1, &count, nullptr), "make a dataspace");
  const AttributeId attribute(
      H5Acreate2(object, name, H5T_STD_I64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
      "write an attribute");
  if (!values.empty())
    check(H5Awrite(attribute.get(), H5T_NATIVE_INT64, values.data()), "write an attribute");
}

std::string read_text_attribute(hid_t object, const char* name) {
  const AttributeId attribute = open_attribute(object, name);
  const TypeId stored(H5Aget_type(attribute.get()), "read an attribute");
  const SpaceId space(H5Aget_space(attribute.get()), "read an attribute");
  if (H5Tis_variable_str(stored.get()) <= 0 || H5Sget_simple_extent_npoints(space.get()) != 1)
    throw Error(Errc::bad_input, fmt::format("the attribute '{}' is not text of ours", name));
  char* characters = nullptr;
  check(H5Aread(attribute.get(), text_type().get(), &characters), "read an attribute");
  std::string text(characters == nullptr ? "" : characters);
  H5free_memory(characters);
  return text;
}

std::vector<std::int64_t> read_attribute(hid_t object, const char* name) {
  const AttributeId attribute = open_attribute(object, name);
  const SpaceId space(H5Aget_space(attribute.get()), "read an attribute");
  const auto count = H5Sget_simple_extent_npoints(space.get());
  if (count < 0) fail("read an attribute");
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  if (count > 0)
    check(H5Aread(attribute.get(), H5T_NATIVE_INT64, values.data()), "read an attribute");
  return values;
}

std::vector<std::string> names_in(hid_t group) {
  std::vector<std::string> names;
  check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names), "list a group");
  return names;
}

std::string name_of_label(std::string_view label) {
  std::string name;
  for (const char c : label) {
    if (c == '/' || c == '%' || c == '.' || c == '\0') {
      fmt::format_to(std::back_inserter(name), "%{:02x}", static_cast<unsigned char>(c));
    } else {
      name += c;
    }
  }
  return name.empty() ? "%" : name;
}

std::string label_of_name(std::string_view name) {
  if (name == "%") return "";
  std::string label;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '%') {
      label += name[i];
      continue;
    }
    const std::string_view digits = name.substr(i + 1, 2);
    unsigned char byte = 0;
    const auto [end, status] = std::from_chars(digits.begin(), digits.end(), byte, 16);
    if (status != std::errc() || digits.size() != 2 || end != digits.end())
      throw Error(Errc::bad_input,
                  fmt::format("the name \"{}\" has a '%' without two hexadecimal digits", name));
    label += static_cast<char>(byte);
    i += 2;
  }
  return label;
}

}  // namespace blockyard::store::hdf5
