#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the picture of docs/report.md: screenshot.py REPORT.html PICTURE.png"""

import sys

import chromium

browser = chromium.Browser()
browser.open(sys.argv[1], width=1280, height=1075)
browser.screenshot(sys.argv[2], whole=False)
browser.close()
