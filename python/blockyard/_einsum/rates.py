# SPDX-License-Identifier: Apache-2.0
"""Rates to weigh plans against each other: of one core, and of a disk. What they are exactly matters
little, since they choose among orders of contractions and sizes of segments only."""

FLOPS = 3e10
DISK_BYTES = 6e8
COPY_BYTES = 4e9
BLOCK_SECONDS = 5e-5
LEAST_RUN_BYTES = 1 << 16
COPIED_RUN_BYTES = 1 << 9
