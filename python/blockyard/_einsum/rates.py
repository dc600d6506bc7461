# SPDX-License-Identifier: Apache-2.0
"""Rates to weigh plans against each other: of one core, and of a disk. What they are exactly matters
little, since they choose among orders of contractions and sizes of segments only."""

FLOPS = 5e10
DISK_BYTES = 6e8
COPY_BYTES = 4e9
BLOCK_SECONDS = 5e-5
# Of the time to read an operand, so much is work for a core: the system's, copies, permuting in passing.
READING_WORK = 0.6
# Bytes that could be read in the time between two pieces of a file.
PIECE_BYTES = 1 << 14
# The largest piece with gaps that is read as a whole, and how much larger than what is wanted it may be.
MOST_PIECE_BYTES = 1 << 18
MOST_GAPS = 8
