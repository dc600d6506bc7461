// SPDX-License-Identifier: Apache-2.0
#pragma once

// The light part of libint2: shells, shell pairs, solid harmonics. Its warnings are not ours.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <libint2/initialize.h>
#include <libint2/shell.h>
#include <libint2/solidharmonics.h>
#pragma GCC diagnostic pop
