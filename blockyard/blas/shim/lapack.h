// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "blockyard/blas/local/entry.h"
#include "blockyard/blas/shim/arguments.h"
#include "blockyard/blas/shim/local_calls.h"
#include "blockyard/blas/shim/routed_whole.h"
#include "blockyard/blas/whole.h"
#include "blockyard/blas/workspaces.h"

/// The functions called by the exported names of LAPACK: a call goes to a device as one, or on as
/// it is.
namespace blockyard::blas {

/// Members of WholeCall, in the order of a routine's arguments; flags first.
enum class Field {
  uplo,
  op,
  side,
  job,
  range,
  job_vt,
  m,
  n,
  k,
  lda,
  ldb,
  ldu,
  ldvt,
  lwork,
  lrwork,
  liwork,
  a,
  b,
  u,
  vt,
  tau,
  values,
  imaginary,
  complex_values,
  found,
  support,
  ignored,
  pivots,
  info,
  work,
  rwork,
  iwork
};

template <Field field, class C>
constexpr auto& member(C& call) noexcept {
  if constexpr (field == Field::uplo) return call.uplo;
  if constexpr (field == Field::op) return call.op;
  if constexpr (field == Field::side) return call.side;
  if constexpr (field == Field::job) return call.job;
  if constexpr (field == Field::range) return call.range;
  if constexpr (field == Field::job_vt) return call.job_vt;
  if constexpr (field == Field::m) return call.m;
  if constexpr (field == Field::n) return call.n;
  if constexpr (field == Field::k) return call.k;
  if constexpr (field == Field::lda) return call.lda;
  if constexpr (field == Field::ldb) return call.ldb;
  if constexpr (field == Field::ldu) return call.ldu;
  if constexpr (field == Field::ldvt) return call.ldvt;
  if constexpr (field == Field::lwork) return call.lwork;
  if constexpr (field == Field::lrwork) return call.lrwork;
  if constexpr (field == Field::liwork) return call.liwork;
  if constexpr (field == Field::a) return call.a;
  if constexpr (field == Field::b) return call.b;
  if constexpr (field == Field::u) return call.u;
  if constexpr (field == Field::vt) return call.vt;
  if constexpr (field == Field::tau) return call.tau;
  if constexpr (field == Field::values) return call.values;
  if constexpr (field == Field::imaginary) return call.imaginary;
  if constexpr (field == Field::complex_values) return call.complex_values;
  if constexpr (field == Field::found) return call.found;
  if constexpr (field == Field::support) return call.support;
  if constexpr (field == Field::ignored) return call.ignored;
  if constexpr (field == Field::pivots) return call.pivots;
  if constexpr (field == Field::info) return call.info;
  if constexpr (field == Field::work) return call.work;
  if constexpr (field == Field::rwork) return call.rwork;
  if constexpr (field == Field::iwork) return call.iwork;
}

/// A routine of element type T whose arguments are `fields`.
template <class T, Task task, Field... fields>
class Lapack {
  static constexpr std::size_t count = sizeof...(fields);
  static constexpr std::size_t flags =
      (std::size_t{0} + ... + static_cast<std::size_t>(fields <= Field::job_vt));
  static constexpr bool has_workspace = ((fields == Field::lwork) || ...);
  using Given = std::array<const void*, count>;
  using Lengths = std::array<std::size_t, flags>;

 public:
  static void fortran(Entry& entry, const void* caller, const Given& given,
                      const Lengths& lengths) {
    const Site& site = entry.find(caller);
    const auto local = [&](const Given& arguments) {
      invoke_fortran(site.function, arguments, lengths);
    };
    WholeCall<T> call;
    call.task = task;
    call.width = site.width;
    std::size_t at = 0;
    (read<fields>(call, given[at++]), ...);
    WholeCall<T> best = call;
    if (!is_offered(call) || !finds_workspace(call, given, local, best)) return local(given);
    const LocalCalls<T> others(entry.name(), caller, site.width);
    const auto here = [&] { local(given); };
    if (!route_whole(call, entry.name(), site.thread_count(), others, std::ref(here))) return;
    write_best(call, best);
  }

  /// Calls a function of the program's own under a Fortran name.
  static void invoke(void* function, const WholeCall<T>& call) {
    Integers<count> integers(call.width);
    Lengths ones;
    ones.fill(1);
    invoke_fortran(function, Given{integers.address(member<fields>(call))...}, ones);
  }

 private:
  template <Field field>
  static void read(WholeCall<T>& call, const void* from) noexcept {
    auto& to = member<field>(call);
    using Member = std::remove_reference_t<decltype(to)>;
    if constexpr (std::is_same_v<Member, char>)
      to = upper(*static_cast<const char*>(from));
    else if constexpr (std::is_same_v<Member, std::int64_t>)
      to = read_integer(from, call.width);
    else
      to = static_cast<Member>(const_cast<void*>(from));
  }

  /// Whether the workspaces are long enough for the routine; `best` says how long they should be. A
  /// query, and a workspace that is too short, is for the local library.
  template <class Local>
  [[nodiscard]] static bool finds_workspace([[maybe_unused]] const WholeCall<T>& call,
                                            [[maybe_unused]] const Given& given,
                                            [[maybe_unused]] const Local& local,
                                            [[maybe_unused]] WholeCall<T>& best) {
    if constexpr (has_workspace) {
      if (call.lwork < 1) return false;
      const std::int64_t query = -1;
      const auto narrow = static_cast<std::int32_t>(query);
      const void* const length = call.width == 64 ? static_cast<const void*>(&query) : &narrow;
      std::array<T, 2> work{};
      std::array<RealOf<T>, 2> rwork{};
      std::array<std::int64_t, 2> iwork{}, info{};
      Given asked = given;
      std::size_t at = 0;
      const auto replace = [&](Field field) {
        const std::size_t k = at++;
        if (field == Field::lwork || field == Field::lrwork || field == Field::liwork)
          asked[k] = length;
        if (field == Field::work) asked[k] = work.data();
        if (field == Field::rwork) asked[k] = rwork.data();
        if (field == Field::iwork) asked[k] = iwork.data();
        if (field == Field::info) asked[k] = info.data();
      };
      (replace(fields), ...);
      local(asked);
      best.lwork = static_cast<std::int64_t>(std::real(work[0]));
      best.lrwork = static_cast<std::int64_t>(rwork[0]);
      best.liwork = read_integer(iwork.data(), call.width);
      const Workspaces shortest = shortest_workspaces(call);
      return read_integer(info.data(), call.width) == 0 &&
             call.lwork >= std::min(best.lwork, shortest.work) &&
             call.lrwork >= std::min(best.lrwork, shortest.rwork) &&
             call.liwork >= std::min(best.liwork, shortest.iwork);
    }
    return true;
  }

  /// What a query says, as the reference routine has it at its end. OpenBLAS leaves what it used.
  static void write_best([[maybe_unused]] const WholeCall<T>& call,
                         [[maybe_unused]] const WholeCall<T>& best) noexcept {
    if constexpr (has_workspace) call.work[0] = T(static_cast<RealOf<T>>(best.lwork));
    if constexpr (((fields == Field::lrwork) || ...))
      call.rwork[0] = static_cast<RealOf<T>>(best.lrwork);
    if constexpr (((fields == Field::liwork) || ...)) {
      if (call.width == 64)
        *static_cast<std::int64_t*>(call.iwork) = best.liwork;
      else
        *static_cast<std::int32_t*>(call.iwork) = static_cast<std::int32_t>(best.liwork);
    }
  }
};

}  // namespace blockyard::blas
