// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one place where libint2 and Eigen come in, without their warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <libint2.hpp>
#pragma GCC diagnostic pop
