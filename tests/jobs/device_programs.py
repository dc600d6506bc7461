# SPDX-License-Identifier: Apache-2.0
"""Programs of which test_devices.py knows what a device has to do."""

from common import program

# Twenty fills outside of the marks, as many fills and copies between them; nothing that is learned.
MARKS = program("marks")
# Numbers that a device gives back at once: a worker is as fast as its device.
SHARED = program("shared")
# Four blocks of a static array, read four times each before they change, twice.
STATIC = program("static_blocks")
# Results that the host needs at once: it computes them.
HOST_RESULTS = program("host_results")
LONG = program("long")
