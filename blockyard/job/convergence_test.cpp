// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/convergence.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"

namespace blockyard::job {
namespace {

worker::Outcome outcome_with(double converged) {
  worker::Outcome outcome;
  outcome.scalars["converged"] = converged;
  return outcome;
}

TEST(Convergence, IsNoQuestionForAProgramWithoutTheScalar) {
  EXPECT_NO_THROW(check_converged("transform_rhf", {}, {}));
  EXPECT_NO_THROW(check_converged("scf_rhf", {}, outcome_with(1)));
}

TEST(Convergence, ThatFailsSaysWhatToTry) {
  worker::Environment environment;
  environment.ints = {{"scf_iterations", 12}, {"cc_iterations", 34}};
  try {
    check_converged("scf_rhf", environment, outcome_with(0));
    FAIL();
  } catch (const base::Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("12 iterations"), std::string::npos) << text;
    EXPECT_NE(text.find("level_shift"), std::string::npos) << text;
  }
  try {
    check_converged("ccsd_rhf", environment, outcome_with(0));
    FAIL();
  } catch (const base::Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("34 iterations"), std::string::npos) << text;
    EXPECT_NE(text.find("cc_iterations"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace blockyard::job
