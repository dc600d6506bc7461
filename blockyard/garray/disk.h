// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "blockyard/garray/background.h"
#include "blockyard/garray/buffers.h"
#include "blockyard/garray/runtime.h"
#include "blockyard/store/tile_file.h"

namespace blockyard::garray {

enum class DiskAccess : std::uint8_t { read_write, write, read };

/// An array in a file, as one rank of its group knows it. Each tile of the file is read and written
/// by one member, in the order of requests. One thread.
class DiskArray {
 public:
  /// Counts the requests of one array from 1.
  using Request = std::int64_t;
  struct Place {
    int group = world_group;
    std::filesystem::path path;
    DiskAccess access = DiskAccess::read_write;
    int readers = 0;  ///< this many members use the disk; 0: all
  };

  /// Collective. Opens a file that is there. Throws Error{io} or Error{bad_input} at all members.
  DiskArray(Runtime& runtime, Background& background, const Place& place);
  /// Collective. A new file, of zeros; replaces an old one of that name.
  [[nodiscard]] static std::unique_ptr<DiskArray> create(Runtime& runtime, Background& background,
                                                         const Place& place,
                                                         const store::TiledArray& tiles);
  /// Without close() the other members are not waited for.
  ~DiskArray() = default;
  /// Collective. All requests are complete, and nothing more will be written.
  void close();

  /// Name, type and extents; it has no memory.
  [[nodiscard]] const Array& array() const noexcept { return array_; }
  [[nodiscard]] const store::TileFile& file() const noexcept { return *file_; }
  [[nodiscard]] int group() const noexcept { return place_.group; }

  /// A box of an array, and one of the file with the same extents, or these in the opposite order.
  struct Section {
    const Array& array;
    Box box;
    Box on_disk;
    bool is_transposed = false;
  };
  /// Collective. Takes the elements of the array; returns while they are on their way to the file.
  [[nodiscard]] Request write(const Section& section);
  /// Collective. Returns while elements are on their way to the array.
  [[nodiscard]] Request read(const Section& section);
  /// Whether all members have done their part of it. Any member, alone.
  [[nodiscard]] bool is_done(Request request);
  /// Collective. Afterwards the section is complete.
  void wait(Request request);

 private:
  void check(const Section& section) const;
  /// Whether this rank reads and writes the tile.
  [[nodiscard]] bool owns(Extent tile) const noexcept;
  /// Calls visit(number, all of the tile, the part of it in `box`) for own tiles.
  template <class Visit>
  void for_each_own_tile(const Box& box, const Visit& visit) const;
  [[nodiscard]] Request finish_request();
  /// Whether all that was asked of this rank so far is done.
  [[nodiscard]] bool is_idle();

  Runtime& runtime_;
  Background& background_;
  Place place_;
  std::shared_ptr<store::TileFile> file_;  ///< shared with work that is under way
  std::shared_ptr<Buffers> buffers_;       ///< of a tile each; shared with work, too
  Array array_;
  fabric::Region counts_ = -1;      ///< of requests that a member has done, at each member
  std::vector<Request> seen_done_;  ///< by member, when it was asked last
  std::vector<Background::Ticket> tickets_;
};

/// The disk arrays of a rank. One thread.
class Disk {
 public:
  explicit Disk(Runtime& runtime) : runtime_(runtime) {}

  [[nodiscard]] Background& background() noexcept { return background_; }
  /// Members that use the disk, of arrays to come; 0: all.
  int readers = 0;
  int files = 1;  ///< of arrays to come

  /// Keeps an array under a handle.
  [[nodiscard]] int keep(std::unique_ptr<DiskArray> array);
  /// Throws Error{bad_input} if it is not open.
  [[nodiscard]] DiskArray& array(int handle) const;
  /// Collective.
  void close(int handle);
  /// Collective.
  void close_all();
  /// Keeps a request under a number.
  [[nodiscard]] int keep_request(int handle, DiskArray::Request request);
  /// Collective. A number that was waited for, or never given, is complete.
  void wait(int request);
  [[nodiscard]] bool is_done(int request);

 private:
  struct Kept {
    int handle = 0;
    DiskArray::Request request = 0;
  };
  static constexpr int first_handle = -5000;

  Runtime& runtime_;
  Background background_;
  std::map<int, std::unique_ptr<DiskArray>> arrays_;
  std::map<int, Kept> requests_;
  int next_handle_ = first_handle;
  int next_request_ = 1;
};

}  // namespace blockyard::garray
