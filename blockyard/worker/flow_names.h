// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/base/error.h"
#include "blockyard/block/view.h"
#include "blockyard/flow/bind.h"
#include "blockyard/flow/chains.h"
#include "blockyard/flow/copies.h"
#include "blockyard/flow/epoch_puts.h"
#include "blockyard/flow/expressions.h"
#include "blockyard/flow/iterations.h"
#include "blockyard/flow/loop_nest.h"
#include "blockyard/flow/match.h"
#include "blockyard/flow/naming.h"
#include "blockyard/flow/near.h"
#include "blockyard/flow/outline.h"
#include "blockyard/flow/place.h"
#include "blockyard/flow/region.h"
#include "blockyard/flow/upcoming.h"
#include "blockyard/flow/variables.h"
#include "blockyard/worker/environment.h"

/// What a worker takes from rooms block and flow, under its names there.
namespace blockyard::worker {

using array::ElementType;
using block::View;
using flow::bind;
using flow::Chain;
using flow::Chains;
using flow::Coming;
using flow::Condition;
using flow::Copies;
using flow::EpochPuts;
using flow::Expressions;
using flow::fixed_conditions;
using flow::FixedConditions;
using flow::Iterations;
using flow::LoopNest;
using flow::Match;
using flow::NamedBlock;
using flow::Naming;
using flow::NearLists;
using flow::Number;
using flow::OpenLoop;
using flow::Outline;
using flow::Place;
using flow::policy_of;
using flow::RegionBounds;
using flow::Sharing;
using flow::Sieve;
using flow::Tables;
using flow::unbound;
using flow::Upcoming;
using flow::Variables;

/// An error whose text begins with its place already.
struct PlacedError final : base::Error {
  using base::Error::Error;
};

}  // namespace blockyard::worker
