// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/letters/office.h"

#include <gtest/gtest.h>

#include <memory>

#include "blockyard/base/error.h"

namespace blockyard::fabric::letters {
namespace {

/// Moves nothing.
class StillCourier final : public Courier {
 public:
  void post(int /*to*/, Way /*way*/, Letter /*letter*/) override {}
  bool progress() override { return false; }
  [[nodiscard]] bool is_sending() const noexcept override { return false; }
  void begin_barrier() override {}
  [[nodiscard]] bool is_barrier_over() override { return true; }
};

/// What is made of it may fail before it is closed: the process has to tell why, not to wait for
/// the thread for ever.
TEST(Office, ends_its_thread_where_it_was_never_closed) {
  const auto open = [](Desk&) { return std::make_unique<StillCourier>(); };
  EXPECT_THROW(
      {
        const Office office(open, 1, true);
        throw base::Error(base::Errc::no_memory, "out of shared memory");
      },
      base::Error);
}

}  // namespace
}  // namespace blockyard::fabric::letters
