// SPDX-License-Identifier: Apache-2.0
#include "blockyard/program/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "blockyard/base/bytes.h"
#include "blockyard/base/checksum.h"
#include "blockyard/base/error.h"
#include "blockyard/program/detail/visit.h"
#include "blockyard/program/verify.h"

// One function, `visit`, lists the fields of each type of the program; Writer and Reader below are
// the two things that can be done with a list of fields. So they cannot differ in the order.
namespace blockyard::program {
namespace {

using base::Errc;
using base::Error;

[[noreturn]] void refuse(std::string_view what) {
  throw Error(Errc::bad_input, fmt::format("program file: {}", what));
}

class Writer {
 public:
  void operator()(const std::string& text) { out_.text(text); }
  void operator()(bool flag) { out_.value(static_cast<std::uint8_t>(flag)); }
  template <class T>
  requires std::is_arithmetic_v<T>
  void operator()(T number) { out_.value(number); }
  template <class T>
  requires std::is_enum_v<T>
  void operator()(T value, T) { out_.value(value); }
  template <class T>
  void operator()(const std::vector<T>& list) {
    out_.value(static_cast<std::uint32_t>(list.size()));
    for (const T& entry : list) (*this)(entry);
  }
  template <class T>
  requires std::is_class_v<T>
  void operator()(const T& record) { detail::visit(*this, record); }
  template <class... Fields>
  void fields(const Fields&... all) {
    ((*this)(all), ...);
  }
  [[nodiscard]] std::vector<std::byte> take() { return out_.take(); }

 private:
  base::ByteWriter out_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : in_(bytes) {}
  void operator()(std::string& text) { text = in_.text(); }
  void operator()(bool& flag) {
    const auto byte = in_.value<std::uint8_t>();
    if (byte > 1) refuse("a yes/no byte is neither");
    flag = byte == 1;
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void operator()(T& number) { number = in_.value<T>(); }
  template <class T>
  requires std::is_enum_v<T>
  void operator()(T& value, T last) {
    const auto number = in_.value<std::underlying_type_t<T>>();
    if (number > static_cast<std::underlying_type_t<T>>(last)) refuse("an unknown kind or opcode");
    value = static_cast<T>(number);
  }
  /// Entries are made one by one as their bytes are read, so a false count costs no memory.
  template <class T>
  void operator()(std::vector<T>& list) {
    const auto count = in_.value<std::uint32_t>();
    if (count > in_.left()) refuse("a table is longer than the file");
    list.clear();
    for (std::uint32_t k = 0; k < count; ++k) (*this)(list.emplace_back());
  }
  template <class T>
  requires std::is_class_v<T>
  void operator()(T& record) { detail::visit(*this, record); }
  template <class... Fields>
  void fields(Fields&... all) {
    ((*this)(all), ...);
  }
  [[nodiscard]] std::size_t left() const { return in_.left(); }

 private:
  base::ByteReader in_;
};

struct Payload {
  std::uint32_t version = 0;
  std::span<const std::byte> bytes;
};

/// That of a whole and unchanged file.
Payload payload_of(std::span<const std::byte> bytes) {
  const auto marked = std::min(bytes.size(), file_magic.size());
  if (!std::ranges::equal(bytes.first(marked), std::as_bytes(std::span(file_magic)).first(marked)))
    refuse("this is not a compiled program");
  if (bytes.size() < file_header_bytes) refuse("cut short");
  base::ByteReader in(bytes.subspan(file_magic.size()));
  const auto version = in.value<std::uint32_t>();
  if (version < oldest_file_version || version > file_version)
    refuse(
        fmt::format("format version {}, but this Blockyard reads versions {} to {}; compile it "
                    "again",
                    version, oldest_file_version, file_version));
  const auto length = in.value<std::uint64_t>();
  const auto sum = in.value<std::uint64_t>();
  if (in.left() < length) refuse("cut short");
  if (in.left() > length) refuse("longer than it says");
  const auto payload = in.raw(in.left());
  if (base::checksum(payload) != sum) refuse("damaged: the checksum does not fit");
  return {version, payload};
}

}  // namespace

std::vector<std::byte> write(const Program& program) {
  Writer tables;
  tables.fields(program, program.unused);
  const auto payload = tables.take();
  base::ByteWriter out;
  out.raw(std::as_bytes(std::span(file_magic)));
  out.value(file_version);
  out.value(static_cast<std::uint64_t>(payload.size()));
  out.value(base::checksum(payload));
  out.raw(payload);
  return out.take();
}

Program read(std::span<const std::byte> bytes) {
  const Payload payload = payload_of(bytes);
  Reader in(payload.bytes);
  Program program;
  try {
    in(program);
    if (payload.version > oldest_file_version) in(program.unused);
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with("program file:")) throw;
    refuse("its tables end too early");
  }
  if (in.left() > 0) refuse("there are bytes after its last table");
  verify(program);
  return program;
}

}  // namespace blockyard::program
