// SPDX-License-Identifier: Apache-2.0
// Blocks of NumPy arrays, read in place when a program first wants them: from memory, or from the
// file of a memory map.

#include <algorithm>
#include <complex>
#include <numeric>

#include "blockyard/array/element.h"
#include "blockyard/array/grid.h"
#include "blockyard/tensor/permute.h"
#include "python/src/bindings.h"
#include "python/src/map_file.h"

namespace blockyard::python {

namespace {

using tensor::Shape;
using tensor::Strides;
using tensor::View;

/// Pieces of this many bytes are read from the file; shorter ones are copied from its memory map.
constexpr std::size_t least_piece_bytes = std::size_t{1} << 13;
/// A piece with gaps, or one that is permuted, stays in a processor's cache.
constexpr std::size_t most_piece_bytes = std::size_t{1} << 18;
constexpr std::size_t most_gaps = 8;  ///< up to this multiple of the wanted bytes may be read
/// Elements of a block that are asked for ahead, if they go through the page cache.
constexpr Extent asked_ahead = Extent{1} << 19;
/// Pieces that are permuted together stay in the second cache.
constexpr std::size_t most_together_bytes = std::size_t{1} << 19;

/// How a block lies in a file: `count` pieces, each over the first `inner` indexes, with gaps where
/// the block has a part of an index only. (blockyard/_einsum/costs.py counts with the same rule.)
/// The other indexes follow, in the order of the file but for the block's fastest, which is first.
struct Pieces {
  struct Index {
    Extent extent;
    Extent stride;
    Extent target_stride;
  };

  Pieces(const Shape& shape, const Strides& strides, std::size_t element) : element_bytes(element) {
    Extent target_stride = 1;
    for (std::size_t k = 0; k < shape.order(); ++k) {
      indexes[k] = {shape[k], strides[k], target_stride};
      target_stride *= shape[k];
    }
    std::stable_sort(indexes.begin(), indexes.begin() + shape.order(),
                     [](const Index& a, const Index& b) { return a.stride < b.stride; });
    for (; inner < shape.order() && grow(indexes[inner]); ++inner) {
    }
    const auto outer = indexes.begin() + static_cast<std::ptrdiff_t>(inner);
    const auto end = indexes.begin() + static_cast<std::ptrdiff_t>(shape.order());
    const auto fastest = std::find_if(outer, end, [](const Index& index) {
      return index.target_stride == 1 && index.extent > 1;
    });
    if (fastest != end) {
      std::rotate(outer, fastest, fastest + 1);
      const std::size_t most = most_together_bytes / (span * element_bytes);
      together = std::clamp<Extent>(static_cast<Extent>(most), 1, outer->extent);
    }
    for (std::size_t k = inner; k < shape.order(); ++k) count *= indexes[k].extent;
  }

  std::array<Index, Shape::max_order> indexes{};  ///< in the order of the file
  std::size_t element_bytes;
  std::size_t inner = 0;
  std::size_t span = 1;    ///< elements from the first to the last of a piece
  std::size_t wanted = 1;  ///< elements of it that are of the block
  Extent count = 1;
  /// So many pieces, one after the other along the block's fastest index, are permuted as one: else
  /// each would write an element here and there.
  Extent together = 1;
  bool is_straight = true;  ///< a piece is the same elements in the same order in the block

  /// Whether other blocks want most of a piece: they find it in the page cache.
  [[nodiscard]] bool is_shared() const { return span >= 2 * wanted; }
  /// From a piece to the next one in the file.
  [[nodiscard]] Extent step() const { return inner < Shape::max_order ? indexes[inner].stride : 0; }

 private:
  /// Takes one more index into a piece, unless that makes it too long or too full of gaps.
  bool grow(const Index& index) {
    const std::size_t longer =
        static_cast<std::size_t>(index.stride) * static_cast<std::size_t>(index.extent - 1) + span;
    const std::size_t more = wanted * static_cast<std::size_t>(index.extent);
    const bool stays_straight =
        is_straight && longer == more &&
        (index.extent == 1 || index.target_stride == static_cast<Extent>(wanted));
    if (!stays_straight && (longer * element_bytes > most_piece_bytes || longer > most_gaps * more))
      return false;
    is_straight = stays_straight;
    span = longer;
    wanted = more;
    return true;
  }
};

/// Over the pieces in the order of the file, as many at a time as are permuted together.
struct Walk {
  explicit Walk(const Pieces& all) : pieces(&all), left(all.count) {}

  [[nodiscard]] Extent some() const {
    if (pieces->together <= 1) return 1;
    return std::min(pieces->together, pieces->indexes[pieces->inner].extent - at[pieces->inner]);
  }

  void advance() {
    Extent by = some();
    left -= by;
    for (std::size_t k = pieces->inner; k < Shape::max_order; ++k) {
      const Pieces::Index& index = pieces->indexes[k];
      from += index.stride * by;
      target += index.target_stride * by;
      if ((at[k] += by) < index.extent) break;
      from -= index.stride * index.extent;
      target -= index.target_stride * index.extent;
      at[k] = 0;
      by = 1;
    }
  }

  const Pieces* pieces;
  Extent left;        ///< pieces from here to the end
  Extent from = 0;    ///< elements from the first piece, in the file
  Extent target = 0;  ///< and in the block
  std::array<Extent, Shape::max_order> at{};
};

/// Elements between two pieces, read one after the other, `step` apart in the file: as far after
/// the start of a page as there, and with room for the whole pages that are read.
std::size_t distance_in_room(std::size_t span, Extent step, std::size_t element_bytes) {
  const std::size_t page = MapFile::page_bytes / element_bytes;
  return (span + 3 * page - 1) / page * page + static_cast<std::size_t>(step) % page;
}

template <class T, class To>
void convert(const T* from, const Shape& shape, const Strides& strides, To* into) {
  std::array<Extent, Shape::max_order> at{};
  const Extent count = shape.element_count();
  for (Extent n = 0; n < count; ++n) {
    if constexpr (array::is_complex(array::element_type_of<T>))
      *into++ = array::element_from<To>(std::complex<double>(*from));
    else
      *into++ = array::element_from<To>(std::complex<double>(static_cast<double>(*from)));
    for (std::size_t k = 0; k < shape.order(); ++k) {
      from += strides[k];
      if (++at[k] < shape[k]) break;
      from -= strides[k] * shape[k];
      at[k] = 0;
    }
  }
}

/// Where the elements of a whole array are. Any thread.
class Source {
 public:
  Source(const AnyArray& array, int file, std::uint64_t file_offset,
         const std::vector<std::vector<Extent>>& segments, array::ElementType element)
      : data_(array.data()),
        type_(array.dtype()),
        element_(element),
        file_(file, array.data(), file_offset) {
    for (std::size_t k = 0; k < array.ndim(); ++k) {
      strides_[k] = array.stride(k);
      goes_back_ = goes_back_ || strides_[k] < 0;
    }
    grid_ = array::grid_of(segments);
  }

  [[nodiscard]] std::vector<std::size_t> block_bytes() const {
    std::vector<std::size_t> bytes(grid_.block_count());
    std::vector<std::int64_t> at(grid_.order());
    for (std::uint64_t number = 0; number < bytes.size(); ++number) {
      grid_.segments_of(number, at);
      bytes[number] = static_cast<std::size_t>(grid_.element_count(at)) * array::bytes_of(element_);
    }
    return bytes;
  }

  void read(std::uint64_t number, std::span<std::byte> into) const {
    std::array<std::int64_t, Shape::max_order> segments{};
    const std::span at(segments.data(), grid_.order());
    grid_.segments_of(number, at);
    std::array<Extent, Shape::max_order> extents{};
    Extent offset = 0;
    for (std::size_t k = 0; k < at.size(); ++k) {
      extents[k] = grid_.extent(k, at[k]);
      offset += grid_.offset(k, at[k]) * strides_[k];
    }
    const Shape shape(std::span<const Extent>(extents.data(), at.size()));
    array::with_type(element_, [&]<class T>() {
      read_as<T>(shape, offset, {reinterpret_cast<T*>(into.data()), into.size() / sizeof(T)});
    });
  }

 private:
  /// Elements of the blocks' type are copied as they are; all others are converted.
  template <class T>
  void read_as(const Shape& shape, Extent offset, std::span<T> into) const {
    if (type_ == nb::dtype<T>() && !goes_back_) {
      if (!file_.is_open() || !read_file<T>(shape, offset, into)) copy<T>(shape, offset, into);
      return;
    }
    const auto convert_from = [&]<class From>() {
      convert(static_cast<const From*>(data_) + offset, shape, strides_, into.data());
    };
    if (type_ == nb::dtype<double>())
      convert_from.template operator()<double>();
    else if (type_ == nb::dtype<float>())
      convert_from.template operator()<float>();
    else if (type_ == nb::dtype<std::complex<double>>())
      convert_from.template operator()<std::complex<double>>();
    else if (type_ == nb::dtype<std::complex<float>>())
      convert_from.template operator()<std::complex<float>>();
    else if (type_ == nb::dtype<std::int64_t>())
      convert_from.template operator()<std::int64_t>();
    else
      convert_from.template operator()<std::int32_t>();
  }

  template <class T>
  void copy(const Shape& shape, Extent offset, std::span<T> into) const {
    std::array<int, Shape::max_order> same{};
    std::iota(same.begin(), same.end(), 0);
    tensor::transform<T>(
        T(1), View<const T>{static_cast<const T*>(data_) + offset, shape, strides_},
        std::span<const int>(same.data(), shape.order()), T(0), View<T>::dense(into.data(), shape));
  }

  /// Reads the block piece by piece in the order of the file. False if its pieces are too small.
  template <class T>
  bool read_file(const Shape& shape, Extent offset, std::span<T> into) const {
    const Pieces pieces(shape, strides_, sizeof(T));
    if (pieces.span * sizeof(T) < least_piece_bytes) return false;
    const T* begin = static_cast<const T*>(data_) + offset;
    Walk ahead(pieces);
    for (Walk walk(pieces); walk.left > 0; walk.advance()) {
      // Several threads read what is shared at a time: without asking ahead they wait for the same
      // page, one after the other.
      for (; pieces.is_shared() && ahead.left > 0 &&
             (walk.left - ahead.left) * static_cast<Extent>(pieces.span) < asked_ahead;
           ahead.advance())
        for (Extent n = 0; n < ahead.some(); ++n)
          file_.ask_for(begin + ahead.from + n * pieces.step(), pieces.span * sizeof(T));
      read_pieces(begin + walk.from, pieces, walk.some(), into.data() + walk.target);
    }
    return true;
  }

  template <class T>
  void read_pieces(const T* from, const Pieces& pieces, Extent count, T* target) const {
    if (pieces.is_straight)
      return file_.read(from, std::as_writable_bytes(std::span(target, pieces.span)), {});
    // Each piece lies there as it does in the pages of the file, so that it is read without a copy.
    const Extent step = pieces.step();
    const std::size_t distance = distance_in_room(pieces.span, step, sizeof(T));
    thread_local PageBuffer buffer;
    std::byte* pages = buffer.room_for(distance * sizeof(T) * static_cast<std::size_t>(count));
    const std::size_t skip = file_.offset_in_page(from);
    const bool is_in_place = skip % sizeof(T) == 0;
    T* room = reinterpret_cast<T*>(pages + (is_in_place ? skip : 0));
    std::array<Extent, Shape::max_order> extents{};
    std::array<int, Shape::max_order> same{};
    View<const T> read{room, {}, {}};
    View<T> wanted{target, {}, {}};
    std::size_t order = 0;
    const auto add = [&](Extent extent, Extent stride, Extent target_stride) {
      extents[order] = extent;
      same[order] = static_cast<int>(order);
      read.strides[order] = stride;
      wanted.strides[order++] = target_stride;
    };
    for (std::size_t k = 0; k < pieces.inner; ++k) {
      const Pieces::Index& index = pieces.indexes[k];
      add(index.extent, index.stride, index.target_stride);
    }
    if (count > 1) add(count, static_cast<Extent>(distance), 1);
    for (Extent n = 0; n < count; ++n)
      file_.read(from + n * step,
                 std::as_writable_bytes(
                     std::span(room + static_cast<std::size_t>(n) * distance, pieces.span)),
                 {.is_in_place = is_in_place, .is_shared = pieces.is_shared()});
    read.shape = wanted.shape = Shape(std::span<const Extent>(extents.data(), order));
    tensor::transform<T>(T(1), read, std::span<const int>(same.data(), order), T(0), wanted);
  }

  const void* data_;
  nb::dlpack::dtype type_;
  array::ElementType element_;  ///< of the blocks
  Strides strides_{};
  bool goes_back_ = false;  ///< a stride is negative: what is fast knows no such
  array::Grid grid_;
  MapFile file_;
};

}  // namespace

server::Lent lend(const std::string& label, const AnyArray& array, int file,
                  std::uint64_t file_offset, const std::vector<std::vector<Extent>>& segments,
                  array::ElementType type) {
  const auto source = std::make_shared<const Source>(  // shared by the copies of the function
      array, file, file_offset, segments, type);
  return {label, source->block_bytes(), [source](std::uint64_t number, std::span<std::byte> into) {
            source->read(number, into);
          }};
}

}  // namespace blockyard::python
