// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/rank_threads.h"

#include <fmt/format.h>

#include <new>
#include <system_error>

#include "blockyard/base/clock.h"
#include "blockyard/base/current_error.h"

namespace blockyard::fabric {

namespace {

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "an error of unknown type";
  }
}

}  // namespace

void RankThreads::start(Fabric& endpoint, std::function<void()> work) {
  ++running_;
  if (first_ == nullptr) first_ = &endpoint;
  try {
    threads_.emplace_back([this, &endpoint, work = std::move(work)] { guard(endpoint, work); });
  } catch (const std::system_error& error) {
    guard(endpoint, [&] {
      throw base::Error(base::Errc::no_memory, fmt::format("cannot start a thread for rank {}: {}",
                                                           endpoint.rank(), error.what()));
    });
  }
}

void RankThreads::guard(Fabric& endpoint, const std::function<void()>& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    fail(endpoint, std::make_exception_ptr(base::current_error()));
  } catch (...) {
    fail(endpoint, std::current_exception());
  }
  --running_;
  world_.wake();
}

void RankThreads::fail(Fabric& endpoint, const std::exception_ptr& error) {
  {
    const std::lock_guard lock(mutex_);
    // Others meet the abort only after the first error has been written down here.
    if (first_error_) return;
    first_error_ = error;
  }
  endpoint.abort(text_of(error));
  world_.wake();
}

void RankThreads::watch(const std::function<void()>& look) {
  constexpr double look_around_seconds = 0.1;
  double failed_at = -1;
  while (running_ > 0) {
    try {
      world_.progress(look_around_seconds);
      if (error() == nullptr) {
        look();
        continue;
      }
    } catch (const std::bad_alloc&) {
      fail(*first_, std::make_exception_ptr(base::current_error()));
    } catch (...) {
      fail(*first_, std::current_exception());
    }
    const double now = base::now_seconds();
    if (failed_at < 0) failed_at = now;
    if (now > failed_at + patience_seconds) give_up_();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void RankThreads::end() {
  bool all_came = true;
  try {
    all_came = world_.end(patience_seconds);
  } catch (const base::Error&) {
    const std::lock_guard lock(mutex_);
    if (!first_error_) first_error_ = std::current_exception();
  }
  if (!all_came) give_up_();
}

std::exception_ptr RankThreads::error() const {
  const std::lock_guard lock(mutex_);
  return first_error_;
}

std::string RankThreads::cause() const {
  const std::exception_ptr first = error();
  return first ? text_of(first) : "the run was aborted";
}

}  // namespace blockyard::fabric
