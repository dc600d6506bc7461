// SPDX-License-Identifier: Apache-2.0
/// In which order should the panels of C = A B + C be sent to a remote device, and into how many
/// parts should C be cut? Prints seconds and the order and parts of each setting.
///
/// Usage: offload_order SERVER EXTENT    SERVER: an address whose device computes in modelled time
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "blockyard/base/clock.h"
#include "blockyard/device/device.h"
#include "blockyard/remote/client/client.h"

namespace {

using namespace blockyard;
using device::Address;

/// One thing to send, or a part of the result to compute, since all it needs has been sent.
struct Step {
  enum class What { a, b, c, part } what;
  int i = 0, j = 0;
};

/// rows, columns: panels of A and of B; C lies in tiles.
struct Order {
  std::string name;
  int rows = 1, columns = 1;
  std::vector<Step> steps;
};

using What = Step::What;

void add_tile(Order& order, int i, int j) {
  order.steps.push_back({What::c, i, j});
  order.steps.push_back({What::part, i, j});
}

/// As published: a row panel of C follows that of A, then a column panel of B; later either A and C
/// or B first.
Order published(int panels, bool b_first) {
  Order order{b_first ? "published, B first" : "published, A first", panels, panels, {}};
  for (int s = 0; s < panels; ++s) {
    const auto send_row = [&] {
      order.steps.push_back({What::a, s, 0});
      for (int j = 0; j < panels; ++j) order.steps.push_back({What::c, s, j});
      for (int j = 0; j < s; ++j) order.steps.push_back({What::part, s, j});
    };
    const auto send_column = [&] {
      order.steps.push_back({What::b, 0, s});
      for (int i = 0; i < s; ++i) order.steps.push_back({What::part, i, s});
    };
    if (s > 0 && b_first) {
      send_column(), send_row();
    } else {
      send_row(), send_column();
    }
    order.steps.push_back({What::part, s, s});
  }
  return order;
}

/// A whole, then a column panel of B and of C at a time.
Order by_columns(int parts) {
  Order order{"columns", 1, parts, {}};
  order.steps.push_back({What::a, 0, 0});
  for (int j = 0; j < parts; ++j) {
    order.steps.push_back({What::b, 0, j});
    add_tile(order, 0, j);
  }
  return order;
}

/// The fewest new bytes for each part: a square of parts that grows by a panel of A or of B.
Order growing(int panels) {
  Order order{"growing square", panels, panels, {}};
  for (int s = 0; s < panels; ++s) {
    order.steps.push_back({What::a, s, 0});
    for (int j = 0; j < s; ++j) add_tile(order, s, j);
    order.steps.push_back({What::b, 0, s});
    for (int i = 0; i <= s; ++i) add_tile(order, i, s);
  }
  return order;
}

device::Memory allocate(device::Device& device, base::Extent bytes) {
  auto memory = device.allocate(bytes);
  if (!memory) std::exit(1);
  return std::move(*memory);
}

double seconds_of(device::Device& device, const Order& order, std::int64_t n) {
  const std::int64_t rows = n / order.rows, columns = n / order.columns;
  blockyard_operation product{};
  product.size = sizeof product;
  product.kind = BLOCKYARD_CONTRACT;
  product.element = BLOCKYARD_F64;
  product.result = {2, {0, 1}, {rows, columns}};
  product.left = {2, {0, 2}, {rows, n}};
  product.right = {2, {2, 1}, {n, columns}};
  const auto plan = device.open_plan(product);
  if (!plan) std::exit(1);
  const auto bytes = [](std::int64_t elements) { return static_cast<std::size_t>(8 * elements); };
  const std::vector<std::byte> a(bytes(rows * n)), b(bytes(n * columns));
  std::vector<std::byte> c(bytes(n * n));
  const device::Memory a_there = allocate(device, 8 * n * n), b_there = allocate(device, 8 * n * n),
                       c_there = allocate(device, 8 * n * n);
  device::Stream in = device.open_stream(), work = device.open_stream(), out = device.open_stream();
  device::Event sent = device.open_event(), computed = device.open_event();
  const std::size_t tile = bytes(rows * columns);
  const double began = base::now_seconds();
  for (const Step& step : order.steps) {
    const std::size_t row = static_cast<std::size_t>(step.i),
                      column = static_cast<std::size_t>(step.j);
    const std::size_t at = (row * static_cast<std::size_t>(order.columns) + column) * tile;
    const Address a_at = a_there.address() + row * a.size(),
                  b_at = b_there.address() + column * b.size();
    switch (step.what) {
      case What::a:
        in.copy_in(a_at, a);
        break;
      case What::b:
        in.copy_in(b_at, b);
        break;
      case What::c:
        in.copy_in(c_there.address() + at, std::span(c).subspan(at, tile));
        break;
      case What::part:
        in.record(sent);
        work.wait(sent);
        work.run(
            *plan,
            {.alpha = 1, .beta = 1, .result = c_there.address() + at, .left = a_at, .right = b_at});
        work.record(computed);
        out.wait(computed);
        out.copy_out(std::span(c).subspan(at, tile), c_there.address() + at);
        break;
    }
  }
  out.synchronise();
  return base::now_seconds() - began;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  device::Device device(remote::table(), 0, std::string("server=") + words[1]);
  const std::int64_t n = std::atoll(words[2]);
  for (const int panels : {1, 2, 4, 8}) {
    for (const Order& order : {published(panels, false), published(panels, true),
                               by_columns(panels * panels), growing(panels)})
      std::printf("%.6f %d %s\n", seconds_of(device, order, n), panels * panels,
                  order.name.c_str());
  }
  return 0;
}
