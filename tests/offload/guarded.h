// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

/// What the callers share: matrices of which every element has a role, and nothing comes after the
/// last one.
namespace caller {

using c64 = std::complex<float>;
using c128 = std::complex<double>;

template <class T>
inline constexpr bool is_complex = !std::is_floating_point_v<T>;
template <class T>
using RealOf = decltype(std::real(T{}));

template <class T>
T conjugated(T value) {
  if constexpr (is_complex<T>)
    return std::conj(value);
  else
    return value;
}

/// Numbers in -0.5 .. 0.5, the same in each run.
class Numbers {
 public:
  template <class T>
  T draw() {
    if constexpr (is_complex<T>)
      return {next<RealOf<T>>(), next<RealOf<T>>()};
    else
      return next<T>();
  }

 private:
  template <class Real>
  Real next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<Real>(static_cast<double>(state_ >> 40) / (1 << 24) - 0.5);
  }
  std::uint64_t state_ = 1;
};

/// Elements that end where a page ends, but for `slack` elements; the next page must not be
/// touched.
template <class T>
class Guarded {
 public:
  explicit Guarded(std::size_t count, std::size_t slack = 0) : count_(count) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t pages = ((count + slack) * sizeof(T) + page - 1) / page;
    bytes_ = (pages + 1) * page;
    base_ = static_cast<char*>(
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED || ::mprotect(base_ + pages * page, page, PROT_NONE) != 0) std::abort();
    begin_ = reinterpret_cast<T*>(base_ + pages * page) - count - slack;
  }
  ~Guarded() { ::munmap(base_, bytes_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  [[nodiscard]] T* data() const { return begin_; }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  std::size_t count_, bytes_;
  char* base_;
  T* begin_;
};

/// A matrix with `gap` elements between its columns, or rows where it lies by rows.
template <class T>
class Matrix {
 public:
  Matrix(int rows, int columns, int gap, bool is_by_rows, Numbers& numbers, std::size_t slack = 0)
      : rows_(rows),
        columns_(columns),
        leading_((is_by_rows ? columns : rows) + gap),
        is_by_rows_(is_by_rows),
        memory_(static_cast<std::size_t>((is_by_rows ? rows : columns) - 1) *
                        static_cast<std::size_t>(leading_) +
                    static_cast<std::size_t>(is_by_rows ? columns : rows),
                slack) {
    for (std::size_t k = 0; k < memory_.size(); ++k)
      memory_.data()[k] = T(std::numeric_limits<RealOf<T>>::quiet_NaN());
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < rows; ++i) (*this)(i, j) = numbers.draw<T>();
  }
  T& operator()(int i, int j) const {
    return memory_.data()[is_by_rows_ ? static_cast<std::size_t>(i) * leading_ + j
                                      : static_cast<std::size_t>(j) * leading_ + i];
  }
  [[nodiscard]] T* data() const { return memory_.data(); }
  [[nodiscard]] int leading() const { return leading_; }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] std::vector<T> copy() const { return {data(), data() + memory_.size()}; }
  [[nodiscard]] std::size_t place(int i, int j) const {
    return static_cast<std::size_t>(&(*this)(i, j) - data());
  }

 private:
  int rows_, columns_, leading_;
  bool is_by_rows_;
  Guarded<T> memory_;
};

using Routine = void (*)();
/// The one of an element type.
template <class T>
Routine choose(Routine s, Routine d, Routine c, Routine z) {
  if (std::is_same_v<T, float>) return s;
  if (std::is_same_v<T, double>) return d;
  return std::is_same_v<T, c64> ? c : z;
}
template <class... Arguments>
void call(Routine routine, Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments...)>(routine)(arguments...);
}

/// A factor as CBLAS takes it: real ones by value.
template <class T>
auto passed(const T& factor) {
  if constexpr (is_complex<T>)
    return static_cast<const void*>(&factor);
  else
    return factor;
}

/// Checks all element types and says what was found; the exit code of the program.
template <class Check>
int run_all(const Check& check, const char* what, const int& count, const int& failures) {
  check.template operator()<float>();
  check.template operator()<double>();
  check.template operator()<c64>();
  check.template operator()<c128>();
  std::printf("%d %s, %d wrong\n", count, what, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace caller
