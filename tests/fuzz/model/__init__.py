# SPDX-License-Identifier: Apache-2.0
"""The language SIAL as docs/sial.md has it, in Python, and random programs in it."""
