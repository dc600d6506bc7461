// SPDX-License-Identifier: Apache-2.0
#include "blockyard/method/convergence.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"

namespace blockyard::method {
namespace {

worker::Outcome outcome_with(double converged) {
  worker::Outcome outcome;
  outcome.scalars["converged"] = converged;
  return outcome;
}

TEST(Convergence, IsNoQuestionForAProgramWithoutTheScalar) {
  EXPECT_EQ(convergence_failure("transform_rhf", {}, {}), "");
  EXPECT_EQ(convergence_failure("scf_rhf", {}, outcome_with(1)), "");
}

TEST(Convergence, ThatFailsSaysWhatToTry) {
  worker::Environment environment;
  environment.ints = {{"scf_iterations", 12}, {"cc_iterations", 34}};
  const std::string scf = convergence_failure("scf_rhf", environment, outcome_with(0));
  EXPECT_NE(scf.find("12 iterations"), std::string::npos) << scf;
  EXPECT_NE(scf.find("level_shift"), std::string::npos) << scf;
  const std::string ccsd = convergence_failure("ccsd_rhf", environment, outcome_with(0), "a.h5");
  EXPECT_NE(ccsd.find("34 iterations"), std::string::npos) << ccsd;
  EXPECT_NE(ccsd.find("cc_iterations"), std::string::npos) << ccsd;
  EXPECT_NE(ccsd.find("--guess a.h5"), std::string::npos) << ccsd;
  const std::string states = convergence_failure("eom_ccsd_rhf", environment, outcome_with(0), "a");
  EXPECT_NE(states.find("eom_ccsd_rhf: the excited states did not converge in 34"), states.npos)
      << states;
  EXPECT_EQ(states.find("--guess"), states.npos) << states;
}

TEST(Convergence, OfABrokenSpinIsNoStartOfTriplets) {
  worker::Environment environment;
  environment.ints = {{"triplets", 1}};
  worker::Outcome outcome = outcome_with(1);
  EXPECT_NO_THROW(refuse_broken_spin("eom-ccsd", environment, outcome));
  outcome.scalars["spin_square"] = 1e-9;
  EXPECT_NO_THROW(refuse_broken_spin("eom-ccsd", environment, outcome));
  outcome.scalars["spin_square"] = 0.9;
  EXPECT_NO_THROW(refuse_broken_spin("ccsd", environment, outcome));
  EXPECT_THROW(refuse_broken_spin("eom-ccsd", environment, outcome), base::Error);
  environment.ints["triplets"] = 0;
  EXPECT_NO_THROW(refuse_broken_spin("eom-ccsd", environment, outcome));
}

}  // namespace
}  // namespace blockyard::method
