// SPDX-License-Identifier: Apache-2.0
// Microseconds per block statement on blocks of 4^4 elements, beyond the arithmetic; and a
// contraction of blocks of 16^4, interpretation included, against one bare call of the BLAS.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "bench/contract/measure.h"
#include "blockyard/base/clock.h"
#include "blockyard/fabric/loopback/loopback.h"
#include "blockyard/server/server.h"
#include "blockyard/sial/compile.h"
#include "blockyard/tensor/blas.h"
#include "blockyard/tensor/contract.h"
#include "blockyard/tensor/elementwise.h"
#include "blockyard/tensor/permute.h"
#include "blockyard/worker/worker.h"

namespace {

using namespace blockyard;

constexpr int repeats = 200'000;
constexpr std::size_t elements = 256;

const char* const frame = R"(sial overhead
index n = 1:{}
moindex i = 1:1
moindex j = 1:1
moindex k = 1:1
moindex l = 1:1
moindex p = 1:1
moindex q = 1:1
local a[i,j,p,q]
local b[p,q,k,l]
temp c[i,j,k,l]
temp d[k,l,i,j]
do i
do j
do k
do l
do p
do q
a[i,j,p,q] = 1.0
b[p,q,k,l] = 1.0
do n
{}enddo n
enddo q
enddo p
enddo l
enddo k
enddo j
enddo i
endsial overhead
)";

struct Seconds {
  double wall;
  double processor;  ///< of the worker's thread
};

/// What a worker takes for a program with `statements` in a loop, on blocks of extent^4.
Seconds run_program(const std::string& statements, int times, int extent) {
  const auto compiled = sial::compile_text(fmt::format(fmt::runtime(frame), times, statements));
  if (!compiled.program) throw base::Error(base::Errc::internal, compiled.found.front().message);
  base::BufferPool pool(64 << 20);
  fabric::LoopbackWorld world(2);
  const auto home = world.endpoint(1);
  std::thread thread([&] { server::Server(*home, pool, {.budget_bytes = 1 << 20}).run(); });
  const auto endpoint = world.endpoint(0);
  super::Table supers;
  worker::Options options;
  options.budget_bytes = 32 << 20;
  Seconds seconds{};
  {
    worker::Worker worker(*endpoint, pool, supers, options, [](std::string_view) {});
    worker::Environment environment;
    environment.segments.set(array::IndexKind::mo, {extent});
    const double begin = bench::thread_seconds();
    seconds.wall = worker.run(*compiled.program, environment).metrics.seconds;
    seconds.processor = bench::thread_seconds() - begin;
    worker.shut_down_servers();
  }
  thread.join();
  return seconds;
}

double seconds_of(const std::string& statements) {
  return run_program(statements, repeats, 4).wall;
}

/// A contraction of 16^4 blocks against the matrix product of 256 x 256, in turn; the best counts.
std::string compare_with_blas() {
  constexpr int times = 100, rounds = 15;
  constexpr base::Extent side = 256;
  const std::vector<double> a(side * side, 1.0), b(side * side, 1.0);
  std::vector<double> c(side * side);
  using tensor::blas::Op;
  tensor::blas::limit_blas_threads(1);
  double ours = 1e9, blas = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const double empty = run_program("", times, 16).processor;
    const double full = run_program("c[i,j,k,l] = a[i,j,p,q]*b[p,q,k,l]\n", times, 16).processor;
    ours = std::min(ours, (full - empty) / times);
    const double begin = bench::thread_seconds();
    for (int k = 0; k < times; ++k)
      tensor::blas::gemm<double>(Op::none, Op::none, side, side, side, 1.0, a.data(), side,
                                 b.data(), side, 0.0, c.data(), side);
    blas = std::min(blas, (bench::thread_seconds() - begin) / times);
  }
  fmt::print(
      "contraction of 16^4 blocks: {:.1f} us, bare dgemm {:.1f} us, ratio {:.2f} (target: at most "
      "1.15)\n",
      ours * 1e6, blas * 1e6, ours / blas);
  return fmt::format(
      R"({{"bench":"interpreter","case":"contract 16^4","total_us":{},"blas_us":{},"ratio_to_blas":{}}})"
      "\n",
      ours * 1e6, blas * 1e6, ours / blas);
}

template <class Do>
double microseconds_of(Do&& action) {
  const double begin = base::now_seconds();
  for (int k = 0; k < repeats; ++k) action();
  return (base::now_seconds() - begin) / repeats * 1e6;
}

struct Case {
  std::string name;
  std::string statement;
  double arithmetic;  ///< microseconds
};

std::vector<Case> cases() {
  std::vector<double> a(elements, 1.0), b(elements, 1.0), c(elements);
  const tensor::Shape shape{4, 4, 4, 4};
  const tensor::ContractPlan plan({{0, 1, 2, 3}, {0, 1, 4, 5}, {4, 5, 2, 3}}, shape, shape, shape);
  std::vector<double> room(static_cast<std::size_t>(plan.workspace_elements()));
  const auto view = [&](std::vector<double>& v) {
    return tensor::View<double>::dense(v.data(), shape);
  };
  const std::array<int, 4> turned = {2, 3, 0, 1};
  const double fill = microseconds_of([&] { tensor::fill<double>(c, 2.0); });
  const double permute =
      microseconds_of([&] { tensor::transform<double>(1.0, view(a), turned, 0.0, view(c)); });
  const double contract = microseconds_of(
      [&] { tensor::run<double>(plan, 1.0, a.data(), b.data(), 0.0, c.data(), room); });
  return {{"fill", "c[i,j,k,l] = 2.0\n", fill},
          {"permute", "c[i,j,k,l] = 2.0\nd[k,l,i,j] = c[i,j,k,l]\n", permute + fill},
          {"contract", "c[i,j,k,l] = a[i,j,p,q]*b[p,q,k,l]\n", contract}};
}

}  // namespace

int main() {
  const double loop = seconds_of("") / repeats * 1e6;
  std::puts(
      "statement   total us   arithmetic us   interpreter us   (an empty iteration is taken off)");
  double worst = 0;
  std::string lines;
  for (const Case& c : cases()) {
    const double statements = c.name == "permute" ? 2 : 1;
    const double total = seconds_of(c.statement) / repeats * 1e6 - loop;
    const double own = (total - c.arithmetic) / statements;
    worst = std::max(worst, own);
    fmt::print("{:<10}{:>10.3f}{:>16.3f}{:>17.3f}\n", c.name, total, c.arithmetic, own);
    lines += fmt::format(
        R"({{"bench":"interpreter","case":"{}","total_us":{},"arithmetic_us":{},"interpreter_us":{}}})"
        "\n",
        c.name, total, c.arithmetic, own);
  }
  lines += compare_with_blas();
  fmt::print("worst: {:.3f} us per block statement (target: at most 1)\n{}", worst, lines);
  return 0;
}
