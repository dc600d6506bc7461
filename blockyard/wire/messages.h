// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "blockyard/array/block_id.h"
#include "blockyard/array/element.h"
#include "blockyard/wire/server_counts.h"

/// The messages between workers and servers. Plain values; docs/wire.md has the layout.
/// Every request has a ticket that its one reply (BlockData, Done or Failed ...) brings back.
namespace blockyard::wire {

using Ticket = std::uint64_t;

/// The origin of an access to a block, for the race rule and its report.
struct Access {
  std::int32_t worker = 0;
  std::int32_t pc = 0;          ///< instruction of the worker's program
  std::uint64_t epoch = 0;      ///< barriers passed so far
  std::uint64_t iteration = 0;  ///< pardo iteration, 0 outside of pardos
  friend bool operator==(const Access&, const Access&) = default;
};

enum class PutMode : std::uint8_t { set, add, subtract, multiply };

// Requests, worker to server.

/// Reply: BlockData, or Failed{never_written | race}.
struct GetBlock {
  Ticket ticket = 0;
  array::BlockId block;
  Access access;
  friend bool operator==(const GetBlock&, const GetBlock&) = default;
};
/// The payload holds the values. Mode set, add or subtract. Reply: Done or Failed{race}.
struct PutBlock {
  Ticket ticket = 0;
  array::BlockId block;
  PutMode mode = PutMode::set;
  Access access;
  array::ElementType element = array::ElementType::f64;  ///< of the values
  friend bool operator==(const PutBlock&, const PutBlock&) = default;
};
/// Every one of `count` elements = or += or *= value; a block never written is zeros before.
struct PutScalar {
  Ticket ticket = 0;
  array::BlockId block;
  PutMode mode = PutMode::set;
  double value = 0;
  std::int64_t count = 0;
  Access access;
  array::ElementType element = array::ElementType::f64;  ///< of the elements
  double imaginary = 0;                                  ///< part of the value
  friend bool operator==(const PutScalar&, const PutScalar&) = default;
};
/// All blocks of the array on this server go. Reply: Done.
struct DeleteArray {
  Ticket ticket = 0;
  std::int32_t array = 0;
  friend bool operator==(const DeleteArray&, const DeleteArray&) = default;
};
/// The blocks that exist on this server, of an array, or of a label if it is not empty. Of an array
/// that has had no other than new ones since a BlockList of `generation`, only those that came
/// after the first `known`. Reply: BlockList.
struct ListBlocks {
  Ticket ticket = 0;
  std::int32_t array = 0;
  std::string label;
  std::uint64_t generation = 0;
  std::uint64_t known = 0;
  friend bool operator==(const ListBlocks&, const ListBlocks&) = default;
};
/// Keeps what the array holds now under a label, in place of what was there. Reply: Done.
struct KeepArray {
  Ticket ticket = 0;
  std::int32_t array = 0;
  std::string label;
  friend bool operator==(const KeepArray&, const KeepArray&) = default;
};
/// The array becomes what is kept under the label, which stays. Reply: Done, Failed{no_label}.
struct RestoreArray {
  Ticket ticket = 0;
  std::int32_t array = 0;
  std::string label;
  friend bool operator==(const RestoreArray&, const RestoreArray&) = default;
};
/// All arrays of the program go; labels stay. Reply: Done.
struct EndProgram {
  Ticket ticket = 0;
  friend bool operator==(const EndProgram&, const EndProgram&) = default;
};
/// The next positions of a loop of `total` that `sharers` share, after each worker's initial share
/// (chunks.h): guided chunks, from a counter that begins with the first asking for its id.
/// Reply: Chunk.
struct TakeChunk {
  Ticket ticket = 0;
  std::uint64_t counter = 0;
  std::int64_t total = 0;
  std::int32_t sharers = 1;
  /// If near_last > 0: the positions are the lists of the sharers, one after the other, of these
  /// lengths, which are told with the first asking of each. First list `mine` is dealt out, from
  /// its begin; then the longest of near_first .. near_last-1, then the longest of all, from their
  /// ends.
  std::vector<std::int64_t> lists = {};
  std::int32_t mine = 0;
  std::int32_t near_first = 0;
  std::int32_t near_last = 0;
  friend bool operator==(const TakeChunk&, const TakeChunk&) = default;
};
/// Reply: Statistics.
struct AskStatistics {
  Ticket ticket = 0;
  friend bool operator==(const AskStatistics&, const AskStatistics&) = default;
};
/// Writes all blocks of arrays and labels to the new file `path`, of checkpoint `checkpoint`, and
/// reads it back. Reply: Done.
struct SaveBlocks {
  Ticket ticket = 0;
  std::string path;
  std::uint64_t checkpoint = 0;
  friend bool operator==(const SaveBlocks&, const SaveBlocks&) = default;
};
/// Takes the blocks that are at home here, as server `server` of `servers`, from those of the files
/// that may hold any: SaveBlocks of each of `saved` servers wrote one, whose path is `path` and the
/// number of the server. Reply: Done.
struct LoadBlocks {
  Ticket ticket = 0;
  std::string path;
  std::uint64_t checkpoint = 0;
  std::int32_t server = 0;
  std::int32_t servers = 1;
  std::int32_t saved = 1;
  friend bool operator==(const LoadBlocks&, const LoadBlocks&) = default;
};
/// The server ends. No reply.
struct Shutdown {
  friend bool operator==(const Shutdown&, const Shutdown&) = default;
};

// Replies, server to worker.

/// The payload holds the block.
struct BlockData {
  Ticket ticket = 0;
  double disk_seconds = 0;  ///< that the request waited for the disk of the server
  /// Answers that differ only in time are equal.
  friend bool operator==(const BlockData& a, const BlockData& b) { return a.ticket == b.ticket; }
};
struct Done {
  Ticket ticket = 0;
  friend bool operator==(const Done&, const Done&) = default;
};
enum class Failure : std::uint8_t { never_written, race, no_label };
/// For a race: the earlier access it meets, and what both did ("put", "get", "put +=").
struct Failed {
  Ticket ticket = 0;
  Failure failure = Failure::never_written;
  Access earlier;
  std::string earlier_verb;
  std::string verb;
  friend bool operator==(const Failed&, const Failed&) = default;
};
/// Of an array in the order in which the blocks came, of a label in that of their numbers.
struct BlockList {
  Ticket ticket = 0;
  bool is_known = false;  ///< false: unknown label
  std::vector<std::uint64_t> numbers;
  /// Of the array here: another one if blocks went meanwhile; 0: there are none.
  std::uint64_t generation = 0;
  friend bool operator==(const BlockList&, const BlockList&) = default;
};
/// Positions first..last-1; first == last: the loop is dealt out.
struct Chunk {
  Ticket ticket = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  friend bool operator==(const Chunk&, const Chunk&) = default;
};
struct Statistics {
  Ticket ticket = 0;
  ServerCounts counts;
  friend bool operator==(const Statistics&, const Statistics&) = default;
};

// Between workers.

/// One step of a collective: up a tree to worker 0 with the parts of a worker and of those below
/// it, joined, and back down with the result. What is long is the payload, and `bytes` is empty.
struct Collect {
  std::uint64_t step = 0;
  std::uint8_t kind = 0;  ///< of collective
  std::int32_t pc = 0;    ///< where the worker is
  std::vector<std::byte> bytes;
  friend bool operator==(const Collect&, const Collect&) = default;
};
struct Spread {
  std::uint64_t step = 0;
  std::vector<std::byte> bytes;
  friend bool operator==(const Spread&, const Spread&) = default;
};

// Many in one.

/// Puts of small blocks and of scalars, worker to server, in the order of sending: the encoded
/// PutBlock and PutScalar one after the other, and the values of each in one payload.
/// Reply: DoneMany of those that are served at once; of others Done or Failed.
struct Batch {
  std::vector<std::uint64_t> head_bytes;     ///< of each
  std::vector<std::uint64_t> payload_bytes;  ///< of each; 0 of a scalar
  std::vector<std::byte> heads;
  friend bool operator==(const Batch&, const Batch&) = default;
};
struct DoneMany {
  std::vector<Ticket> tickets;
  friend bool operator==(const DoneMany&, const DoneMany&) = default;
};

using Any =
    std::variant<GetBlock, PutBlock, PutScalar, DeleteArray, ListBlocks, KeepArray, RestoreArray,
                 EndProgram, TakeChunk, AskStatistics, Shutdown, BlockData, Done, Failed, BlockList,
                 Chunk, Statistics, Collect, Spread, SaveBlocks, LoadBlocks, Batch, DoneMany>;

/// What documents and time lines call a message.
struct MessageName {
  std::string_view type;
  std::string_view on_time_line;
};
/// By kind.
inline constexpr auto message_names = std::to_array<MessageName>({
    {"GetBlock", "get"},
    {"PutBlock", "put"},
    {"PutScalar", "put a value"},
    {"DeleteArray", "delete array"},
    {"ListBlocks", "list blocks"},
    {"KeepArray", "keep array"},
    {"RestoreArray", "restore array"},
    {"EndProgram", "end program"},
    {"TakeChunk", "deal out iterations"},
    {"AskStatistics", "statistics"},
    {"Shutdown", "end"},
    {"BlockData", "block"},
    {"Done", "done"},
    {"Failed", "failed"},
    {"BlockList", "list of blocks"},
    {"Chunk", "iterations"},
    {"Statistics", "statistics"},
    {"Collect", "collect"},
    {"Spread", "spread"},
    {"SaveBlocks", "save blocks"},
    {"LoadBlocks", "load blocks"},
    {"Batch", "puts of small blocks"},
    {"DoneMany", "done"},
});
static_assert(message_names.size() == std::variant_size_v<Any>, "each message has its name");

/// One byte of kind (position in Any), then the fields in the order of declaration.
[[nodiscard]] std::vector<std::byte> encode(const Any& message);
/// Throws Error{comm} for an unknown kind, a short or an overlong message.
[[nodiscard]] Any decode(std::span<const std::byte> bytes);

}  // namespace blockyard::wire
