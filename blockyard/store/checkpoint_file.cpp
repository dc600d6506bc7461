// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/checkpoint_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

#include "blockyard/base/bytes.h"
#include "blockyard/base/checksum.h"
#include "blockyard/base/error.h"

namespace blockyard::store {
namespace {

using base::Errc;
using base::Error;

/// Of the file and of the records in it: a change of what a job or a program keeps raises it.
constexpr std::uint32_t version = 8;
constexpr std::size_t flush_bytes = std::size_t{4} << 20;
constexpr std::uint64_t header_bytes = 16;

struct Header {
  std::array<char, 8> magic{'B', 'Y', 'C', 'H', 'E', 'C', 'K', '\n'};
  std::uint32_t file_version = version;
  std::uint32_t zero = 0;
};

/// The last bytes of a whole file.
struct Footer {
  std::uint64_t directory_offset = 0;
  std::uint64_t directory_bytes = 0;
  std::uint64_t directory_checksum = 0;
  std::array<char, 8> magic{'B', 'Y', 'C', 'H', 'E', 'N', 'D', '\n'};
};
static_assert(sizeof(Header) == header_bytes && sizeof(Footer) == 32);

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace

std::uint64_t random_checkpoint() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

CheckpointWriter::CheckpointWriter(Store& store, std::filesystem::path path, CheckpointStamp stamp)
    : store_(store),
      path_(std::move(path)),
      stamp_(std::move(stamp)),
      file_(store_.open(path_, OpenMode::create)) {
  append(bytes_of(Header{}));
}

CheckpointWriter::~CheckpointWriter() {
  if (is_finished_) return;
  try {
    store_.remove(path_);
  } catch (const Error&) {
    // An unfinished writer already has an error to report.
  }
}

std::uint32_t CheckpointWriter::add_group(std::string_view name) {
  groups_.emplace_back(name);
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

void CheckpointWriter::add(std::uint32_t group, std::uint64_t number,
                           std::span<const std::byte> bytes) {
  records_.push_back({group, number, end_, bytes.size(), base::checksum(bytes)});
  append(bytes);
}

void CheckpointWriter::add_same(std::uint32_t group, std::uint64_t number,
                                const CheckpointRecord& as) {
  records_.push_back({group, number, as.offset, as.bytes, as.checksum});
}

void CheckpointWriter::append(std::span<const std::byte> bytes) {
  if (pending_.size() + bytes.size() > flush_bytes) flush();
  if (bytes.size() >= flush_bytes)
    file_->write_at(end_, bytes);
  else
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
  end_ += bytes.size();
}

void CheckpointWriter::flush() {
  file_->write_at(end_ - pending_.size(), pending_);
  pending_.clear();
}

void CheckpointWriter::finish() {
  base::ByteWriter directory;
  directory.value(stamp_.checkpoint);
  directory.text(stamp_.part);
  directory.value(std::uint64_t{groups_.size()});
  for (const std::string& name : groups_) directory.text(name);
  directory.value(std::uint64_t{records_.size()});
  for (const CheckpointRecord& record : records_) {
    directory.value(record.group);
    directory.value(record.number);
    directory.value(record.offset);
    directory.value(record.bytes);
    directory.value(record.checksum);
  }
  Footer footer;
  footer.directory_offset = end_;
  footer.directory_bytes = directory.bytes().size();
  footer.directory_checksum = base::checksum(directory.bytes());
  append(directory.bytes());
  append(bytes_of(footer));
  flush();
  file_->sync();
  verify();
  is_finished_ = true;
}

void CheckpointWriter::verify() {
  const CheckpointReader reader(store_, path_, stamp_);
  if (reader.records() != records_)
    throw Error(Errc::io, fmt::format("cannot write {}: what was read back is not what was written",
                                      path_.string()));
  std::vector<std::byte> buffer;
  for (const CheckpointRecord& record : records_) {
    buffer.resize(record.bytes);
    reader.read(record, buffer);
  }
}

CheckpointReader::CheckpointReader(Store& store, std::filesystem::path path)
    : path_(std::move(path)), file_(store.open(path_, OpenMode::read)) {
  try {
    read_directory();
  } catch (const Error& error) {
    if (error.code() == Errc::bad_input) refuse(error.what());
    throw;
  }
}

CheckpointReader::CheckpointReader(Store& store, std::filesystem::path path,
                                   const CheckpointStamp& expected)
    : CheckpointReader(store, std::move(path)) {
  if (stamp_.checkpoint != expected.checkpoint)
    refuse(fmt::format("it belongs to another checkpoint ({:016x}, not {:016x})", stamp_.checkpoint,
                       expected.checkpoint));
  if (stamp_.part != expected.part)
    refuse(fmt::format("it is the file of {}, not of {}", stamp_.part, expected.part));
}

void CheckpointReader::refuse(std::string_view what) const {
  throw Error(Errc::bad_input,
              fmt::format("{} is not a valid checkpoint file: {}", path_.string(), what));
}

void CheckpointReader::read_directory() {
  const std::uint64_t size = file_->size();
  if (size < sizeof(Header) + sizeof(Footer)) throw Error(Errc::bad_input, "it is cut short");
  Header header;
  Footer footer;
  file_->read_at(0, std::as_writable_bytes(std::span(&header, 1)));
  file_->read_at(size - sizeof footer, std::as_writable_bytes(std::span(&footer, 1)));
  if (header.magic != Header{}.magic)
    throw Error(Errc::bad_input, "it does not begin like a checkpoint file");
  if (header.file_version != version)
    throw Error(Errc::bad_input, fmt::format("it has version {}; this program reads version {}",
                                             header.file_version, version));
  if (footer.magic != Footer{}.magic || footer.directory_offset > size ||
      footer.directory_bytes > size ||
      footer.directory_offset + footer.directory_bytes + sizeof footer != size)
    throw Error(Errc::bad_input, "it is cut short");
  std::vector<std::byte> bytes(footer.directory_bytes);
  file_->read_at(footer.directory_offset, bytes);
  if (base::checksum(bytes) != footer.directory_checksum)
    throw Error(Errc::bad_input, "its list of records is damaged (its checksum is wrong)");
  base::ByteReader directory(bytes);
  stamp_.checkpoint = directory.value<std::uint64_t>();
  stamp_.part = directory.text();
  for (auto count = directory.value<std::uint64_t>(); count > 0; --count)
    groups_.push_back(directory.text());
  for (auto count = directory.value<std::uint64_t>(); count > 0; --count) {
    CheckpointRecord record;
    record.group = directory.value<std::uint32_t>();
    record.number = directory.value<std::uint64_t>();
    record.offset = directory.value<std::uint64_t>();
    record.bytes = directory.value<std::uint64_t>();
    record.checksum = directory.value<std::uint64_t>();
    if (record.group >= groups_.size() || record.offset > footer.directory_offset ||
        record.bytes > footer.directory_offset - record.offset)
      throw Error(Errc::bad_input, "its list of records is inconsistent");
    records_.push_back(record);
  }
}

void CheckpointReader::read(const CheckpointRecord& record, std::span<std::byte> into) const {
  base::require(into.size() == record.bytes, "a record is read in its own length");
  file_->read_at(record.offset, into);
  if (base::checksum(into) != record.checksum)
    refuse(fmt::format("the record at byte {} is damaged (its checksum is wrong)", record.offset));
}

std::vector<std::byte> CheckpointReader::read(const CheckpointRecord& record) const {
  std::vector<std::byte> bytes(record.bytes);
  read(record, bytes);
  return bytes;
}

}  // namespace blockyard::store
