// SPDX-License-Identifier: Apache-2.0
// What the stand-in for CUDA must find in a plug-in.
#include "plugins/device_cuda/stand_in/books.h"

#include <gtest/gtest.h>

#include <array>

namespace blockyard::cuda::stand_in {
namespace {

constexpr std::uint64_t bytes = 64;

/// A device with two streams, and memory of both kinds.
class StandIn : public ::testing::Test {
 protected:
  void use(Stream* stream, const Access& access) {
    books_.enqueue(*stream, "a use", {access}, [] {});
  }
  void finish(Stream* stream) { books_.order().finish(stream->past); }

  Books books_{Settings{}};
  Stream* one_ = books_.order().open_stream(0);
  Stream* other_ = books_.order().open_stream(0);
  void* made_ = books_.allocate(0, bytes);
  void* pooled_ = books_.allocate(*one_, bytes);
};
using StandInDeathTest = StandIn;

TEST_F(StandIn, is_content_with_streams_that_wait_and_books_that_end_empty) {
  Event* const event = books_.order().open_event(0);
  books_.enqueue(*one_, "in place", {reading(made_, bytes), writing(made_, bytes)}, [] {});
  use(one_, writing(pooled_, bytes));
  books_.order().record(*event, *one_);
  books_.order().wait(*other_, *event);
  use(other_, writing(made_, bytes));
  books_.release(pooled_, *other_);
  finish(other_);
  books_.release(made_);
  books_.trim(0);
  books_.order().destroy(event);
  books_.order().destroy(one_);
  books_.order().destroy(other_);
  books_.expect_empty();
}

TEST_F(StandInDeathTest, finds_work_that_does_not_wait_for_other_work) {
  use(one_, reading(made_, bytes));
  use(other_, reading(made_, bytes));  // two may read
  EXPECT_DEATH(use(other_, writing(made_, 1)), "a race");
  EXPECT_DEATH(use(other_, reading(pooled_, 1)), "not there yet");
}

TEST_F(StandInDeathTest, finds_memory_that_is_released_too_early_or_used_too_late) {
  use(one_, reading(made_, bytes));
  EXPECT_DEATH(books_.release(made_), "may use the memory");
  EXPECT_DEATH(books_.release(made_, *one_), "of the other kind");
  use(one_, reading(pooled_, bytes));
  EXPECT_DEATH(books_.release(pooled_, *other_), "not there yet");
  finish(one_);
  use(one_, reading(pooled_, bytes));
  EXPECT_DEATH(books_.release(pooled_, *other_), "a race");
  finish(one_);
  books_.release(made_);
  EXPECT_DEATH(use(one_, reading(made_, 1)), "after its release");
  EXPECT_DEATH(books_.release(made_), "not there");
}

TEST_F(StandInDeathTest, finds_addresses_that_are_wrong) {
  std::array<std::byte, bytes> host{};
  EXPECT_DEATH(use(one_, reading(made_, bytes + 1)), "leaves its memory");
  EXPECT_DEATH(use(one_, reading(host.data(), 1)), "none of a device");
  EXPECT_DEATH(use(one_, {made_, 1, false, true}), "as one of the host");
  EXPECT_DEATH(use(books_.order().open_stream(1), reading(made_, 1)), "of another device");
  EXPECT_DEATH(static_cast<void>(*static_cast<volatile char*>(made_)), "");
}

TEST_F(StandInDeathTest, finds_host_memory_that_is_unlocked_too_early) {
  std::array<std::byte, bytes> host{};
  ASSERT_TRUE(books_.lock_host(host.data(), bytes));
  EXPECT_FALSE(books_.lock_host(host.data() + 1, 1));
  use(one_, {host.data(), bytes, true, true});
  EXPECT_DEATH(books_.unlock_host(host.data()), "while a copy uses");
  finish(one_);
  books_.unlock_host(host.data());
}

TEST_F(StandInDeathTest, finds_what_is_left) {
  finish(one_);
  EXPECT_DEATH(books_.expect_empty(), "a stream; a stream; memory of 64 bytes; memory of 64");
  static_cast<void>(books_.order().open_event(0));
  EXPECT_DEATH(books_.expect_empty(), "an event");
  use(one_, reading(pooled_, 1));
  books_.order().destroy(one_);
  EXPECT_DEATH(books_.expect_empty(), "nobody has waited for");
}

}  // namespace
}  // namespace blockyard::cuda::stand_in
