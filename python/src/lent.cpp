// SPDX-License-Identifier: Apache-2.0
// Blocks of NumPy arrays, read in place when a program first wants them: from memory, or from the
// file behind a memory map.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>

#include "blockyard/array/grid.h"
#include "blockyard/base/error.h"
#include "blockyard/tensor/permute.h"
#include "python/src/bindings.h"

namespace blockyard::python {

namespace {

using tensor::Shape;
using tensor::Strides;
using tensor::View;

/// Runs of this many bytes are read from the file; shorter ones are copied from its memory map.
constexpr std::size_t least_run_bytes = std::size_t{1} << 15;

template <class T>
void convert(const T* from, const Shape& shape, const Strides& strides, double* into) {
  std::array<Extent, Shape::max_order> at{};
  const Extent count = shape.element_count();
  for (Extent n = 0; n < count; ++n) {
    *into++ = static_cast<double>(*from);
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
         const std::vector<std::vector<Extent>>& segments)
      : data_(array.data()), type_(array.dtype()), file_(file), file_offset_(file_offset) {
    for (std::size_t k = 0; k < array.ndim(); ++k) strides_[k] = array.stride(k);
    grid_ = grid_of(segments);
  }

  [[nodiscard]] std::vector<std::size_t> block_bytes() const {
    std::vector<std::size_t> bytes(grid_.block_count());
    std::vector<std::int64_t> at(grid_.order());
    for (std::uint64_t number = 0; number < bytes.size(); ++number) {
      grid_.segments_of(number, at);
      bytes[number] = static_cast<std::size_t>(grid_.element_count(at)) * sizeof(double);
    }
    return bytes;
  }

  void read(std::uint64_t number, std::span<double> into) const {
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
    if (type_ == nb::dtype<double>()) {
      if (file_ < 0 || !read_file(shape, offset, into)) copy(shape, offset, into);
    } else if (type_ == nb::dtype<float>()) {
      convert(static_cast<const float*>(data_) + offset, shape, strides_, into.data());
    } else if (type_ == nb::dtype<std::int64_t>()) {
      convert(static_cast<const std::int64_t*>(data_) + offset, shape, strides_, into.data());
    } else {
      convert(static_cast<const std::int32_t*>(data_) + offset, shape, strides_, into.data());
    }
  }

 private:
  void copy(const Shape& shape, Extent offset, std::span<double> into) const {
    std::array<int, Shape::max_order> same{};
    std::iota(same.begin(), same.end(), 0);
    tensor::transform<double>(
        1.0, View<const double>{static_cast<const double*>(data_) + offset, shape, strides_},
        std::span<const int>(same.data(), shape.order()), 0.0,
        View<double>::dense(into.data(), shape));
  }

  /// Reads the block in the order of the file, then permutes it. False if its runs are too short.
  bool read_file(const Shape& shape, Extent offset, std::span<double> into) const {
    std::array<int, Shape::max_order> order{};
    const std::span to(order.data(), shape.order());
    std::iota(to.begin(), to.end(), 0);
    std::ranges::stable_sort(to, {}, [&](int k) { return strides_[static_cast<std::size_t>(k)]; });
    std::array<Extent, Shape::max_order> extents{};
    Strides strides{};
    for (std::size_t k = 0; k < to.size(); ++k) {
      extents[k] = shape[static_cast<std::size_t>(to[k])];
      strides[k] = strides_[static_cast<std::size_t>(to[k])];
    }
    std::size_t run_indexes = 0;
    Extent run = 1;
    while (run_indexes < to.size() && (strides[run_indexes] == run || extents[run_indexes] == 1))
      run *= extents[run_indexes++];
    if (static_cast<std::size_t>(run) * sizeof(double) < least_run_bytes) return false;
    const bool is_in_order = std::ranges::is_sorted(to);
    thread_local std::vector<double> buffer;
    if (!is_in_order) buffer.resize(into.size());
    double* target = is_in_order ? into.data() : buffer.data();
    std::array<Extent, Shape::max_order> at{};
    for (Extent done = 0; done < shape.element_count(); done += run) {
      read_run(offset, {target + done, static_cast<std::size_t>(run)});
      for (std::size_t k = run_indexes; k < to.size(); ++k) {
        offset += strides[k];
        if (++at[k] < extents[k]) break;
        offset -= strides[k] * extents[k];
        at[k] = 0;
      }
    }
    if (is_in_order) return true;
    std::array<int, Shape::max_order> back{};
    for (std::size_t k = 0; k < to.size(); ++k)
      back[static_cast<std::size_t>(to[k])] = static_cast<int>(k);
    tensor::permute<double>(buffer, Shape(std::span<const Extent>(extents.data(), to.size())),
                            std::span<const int>(back.data(), to.size()), into);
    return true;
  }

  void read_run(Extent offset, std::span<double> into) const {
    auto bytes = std::as_writable_bytes(into);
    std::uint64_t at = file_offset_ + static_cast<std::uint64_t>(offset) * sizeof(double);
    while (!bytes.empty()) {
      const ssize_t got = ::pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0)
        throw base::Error(base::Errc::io,
                          fmt::format("cannot read the file of a memory-mapped array: {}",
                                      got < 0 ? strerror(errno) : "it is too short"));
      bytes = bytes.subspan(static_cast<std::size_t>(got));
      at += static_cast<std::uint64_t>(got);
    }
  }

  const void* data_;
  nb::dlpack::dtype type_;
  Strides strides_{};
  array::Grid grid_;
  int file_;  // -1: none
  std::uint64_t file_offset_;
};

}  // namespace

array::Grid grid_of(const std::vector<std::vector<Extent>>& segments) {
  std::vector<array::Axis> axes;
  for (const auto& extents : segments) {
    array::Axis axis{array::IndexKind::simple, 1, extents, {}};
    axis.offsets.resize(extents.size());
    std::exclusive_scan(extents.begin(), extents.end(), axis.offsets.begin(), Extent{0});
    axes.push_back(std::move(axis));
  }
  return array::Grid(std::move(axes));
}

server::Lent lend(const std::string& label, const AnyArray& array, int file,
                  std::uint64_t file_offset, const std::vector<std::vector<Extent>>& segments) {
  const auto source = std::make_shared<const Source>(  // shared by the copies of the function
      array, file, file_offset, segments);
  return {label, source->block_bytes(),
          [source](std::uint64_t number, std::span<double> into) { source->read(number, into); }};
}

}  // namespace blockyard::python
