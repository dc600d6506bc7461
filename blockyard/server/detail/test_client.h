// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/fabric/loopback/loopback.h"
#include "blockyard/server/server.h"
#include "blockyard/wire/messages.h"

namespace blockyard::server {

using Values = std::vector<double>;

/// A server on its own thread and some workers that the test plays: for tests only.
class TestClient {
 public:
  explicit TestClient(const ServerOptions& options, int workers = 2) : world_(workers + 1) {
    for (int rank = 0; rank < workers; ++rank) workers_.push_back(world_.endpoint(rank));
    server_rank_ = workers;
    start([options](fabric::Fabric& fabric, base::BufferPool& pool) {
      return std::make_unique<Server>(fabric, pool, options);
    });
  }

  /// The server spills into `files`, which outlives this.
  TestClient(const ServerOptions& options, store::Store& files, int workers = 2)
      : world_(workers + 1) {
    for (int rank = 0; rank < workers; ++rank) workers_.push_back(world_.endpoint(rank));
    server_rank_ = workers;
    start([options, &files](fabric::Fabric& fabric, base::BufferPool& pool) {
      return std::make_unique<Server>(fabric, pool, options, files);
    });
  }

  ~TestClient() {
    try {
      workers_[0]->send(server_rank_, {-1, wire::encode(wire::Shutdown{}), nullptr});
    } catch (const base::Error&) {
      // aborted: the server ends by itself
    }
  }

  [[nodiscard]] fabric::Payload payload_of(const Values& values) {
    auto buffer = std::make_shared<base::Buffer>(pool_.allocate(values.size() * sizeof(double)));
    std::memcpy(buffer->data(), values.data(), values.size() * sizeof(double));
    return buffer;
  }

  void send(int worker, const wire::Any& message, fabric::Payload payload = nullptr) {
    workers_[static_cast<std::size_t>(worker)]->send(
        server_rank_, {-1, wire::encode(message), std::move(payload)});
  }

  /// The next reply. Throws what ended the server.
  [[nodiscard]] std::pair<wire::Any, fabric::Payload> receive(int worker) {
    for (;;) {
      auto message = workers_[static_cast<std::size_t>(worker)]->poll(1.0);
      if (message) return {wire::decode(message->head), std::move(message->payload)};
    }
  }

  template <class Reply = wire::Done>
  Reply ask(int worker, const wire::Any& message, fabric::Payload payload = nullptr) {
    send(worker, message, std::move(payload));
    auto [reply, values] = receive(worker);
    return std::get<Reply>(reply);
  }

  void put(const array::BlockId& id, const Values& values, wire::PutMode mode = wire::PutMode::set,
           const wire::Access& access = {}) {
    (void)ask(access.worker, wire::PutBlock{1, id, mode, access}, payload_of(values));
  }

  void put_scalar(const array::BlockId& id, wire::PutMode mode, double value, std::int64_t count,
                  const wire::Access& access = {}) {
    (void)ask(access.worker, wire::PutScalar{2, id, mode, value, count, access});
  }

  [[nodiscard]] fabric::Payload get_payload(const array::BlockId& id,
                                            const wire::Access& access = {}) {
    send(access.worker, wire::GetBlock{3, id, access});
    auto [reply, payload] = receive(access.worker);
    EXPECT_EQ(reply, wire::Any(wire::BlockData{3}));
    return payload;
  }

  [[nodiscard]] Values get(const array::BlockId& id, const wire::Access& access = {}) {
    const auto payload = get_payload(id, access);
    if (!payload) return {};
    return {payload->as<double>(), payload->as<double>() + payload->size() / sizeof(double)};
  }

  [[nodiscard]] wire::ServerCounts statistics() {
    return ask<wire::Statistics>(0, wire::AskStatistics{9}).counts;
  }

  [[nodiscard]] base::BufferPool& pool() { return pool_; }

 private:
  template <class Make>
  void start(Make make) {
    thread_ = std::jthread([this, make] {
      const auto fabric = world_.endpoint(server_rank_);
      try {
        make(*fabric, pool_)->run();
      } catch (const std::exception& error) {
        fabric->abort(error.what());
      }
    });
  }

  base::BufferPool pool_{std::size_t{1} << 28};
  fabric::LoopbackWorld world_;
  std::vector<std::unique_ptr<fabric::Fabric>> workers_;
  int server_rank_ = 0;
  std::jthread thread_;
};

}  // namespace blockyard::server
