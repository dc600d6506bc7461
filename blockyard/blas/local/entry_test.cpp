// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/local/entry.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

namespace blockyard::blas {
namespace {

TEST(Entry, has_one_site_for_each_place_of_a_call_however_many_there_are) {
  static constinit Entry length("strlen", 32), copy("strcpy", 32);
  static constexpr std::array<char, 2000> places{};  // more than there are lists
  std::vector<const Site*> first;
  for (const char& place : places) {
    first.push_back(&length.find(&place));
    EXPECT_EQ(first.back()->caller, &place);
    EXPECT_NE(&copy.find(&place), first.back()) << "a place may call several names";
  }
  for (std::size_t k = 0; k < places.size(); ++k) EXPECT_EQ(&length.find(&places[k]), first[k]);
  EXPECT_NE(length.find(&places[0]).function, nullptr);
  EXPECT_NE(length.find(&places[0]).function, copy.find(&places[0]).function);
}

}  // namespace
}  // namespace blockyard::blas
