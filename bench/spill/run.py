#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job of which seven eighths go to disk, against dd and against the same job in memory. See README.md."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

SEGMENT = 256  # elements: blocks of 512 KiB
PAGE = 4096
RECORD_BYTES = (SEGMENT * SEGMENT * 8 + 64 + PAGE - 1) // PAGE * PAGE
ROUNDS = 2
TIMES_MEMORY = 8

PROGRAM = """sial spill
predefined int norb
aoindex i = 1:norb
index round = 1:{rounds}
aoindex l = 1:norb
served d[i,l]
temp t[i,l]
scalar part
scalar total
pardo i,l "static"
  t[i,l] = 0.5
  prepare d[i,l] = t[i,l]
endpardo i,l
server_barrier
do round
  pardo i,l "static"
    request d[i,l]
    part += d[i,l]*d[i,l]
  endpardo i,l
  server_barrier
enddo round
collective total += part
endsial spill
"""


def run_job(blockyard, folder, segments, memory):
    report = folder / "report.json"
    results = folder / "results.json"
    subprocess.run([blockyard, "run", folder / "spill.sial", "--set", f"norb={segments}", "--segments",
                    "ao=" + ",".join([str(SEGMENT)] * segments), "-w", "1", "-s", "1", "--memory",
                    str(memory), "--scratch", folder, "--report", report, "--json", results, "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    metrics = json.loads(report.read_text(encoding="utf-8"))
    found = json.loads(results.read_text(encoding="utf-8"))
    expected = ROUNDS * (segments * SEGMENT) ** 2 * 0.25
    if abs(found["scalars"]["total"] / expected - 1) > 1e-12:
        sys.exit(f"the result is wrong: {found['scalars']['total']}, not {expected}")
    server = metrics["servers"][0]
    return found["seconds"], server["spilled_bytes"], server["read_back_bytes"]


def seconds_of(*command):
    begin = time.monotonic()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return time.monotonic() - begin


def dd_seconds(folder, written, read):
    """The same bytes in the same pieces: written once to a new file, and read from it."""
    path = folder / "dd"
    pieces = written // RECORD_BYTES
    total = seconds_of("dd", "if=/dev/zero", f"of={path}", f"bs={RECORD_BYTES}", f"count={pieces}",
                       "oflag=direct")
    for left in range(read // RECORD_BYTES, 0, -pieces):
        total += seconds_of("dd", f"if={path}", "of=/dev/null", f"bs={RECORD_BYTES}",
                            f"count={min(left, pieces)}", "iflag=direct")
    path.unlink()
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blockyard", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--mib", type=int, default=512, help="size of the array")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    segments = max(2, round((options.mib * 2**20 / (SEGMENT * SEGMENT * 8)) ** 0.5))
    array_bytes = (segments * SEGMENT) ** 2 * 8
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = pathlib.Path(name)
        (folder / "spill.sial").write_text(PROGRAM.format(rounds=ROUNDS), encoding="utf-8")
        for repeat in range(options.repeats):
            in_memory, _, _ = run_job(options.blockyard, folder, segments, 3 * array_bytes)
            seconds, written, read = run_job(options.blockyard, folder, segments,
                                             array_bytes // TIMES_MEMORY)
            peer = dd_seconds(folder, written, read)
            print(json.dumps({
                "bench": "spill", "case": f"{options.mib} MiB in memory of 1/{TIMES_MEMORY}",
                "repeat": repeat, "seconds": round(seconds, 3), "memory_seconds": round(in_memory, 3),
                "dd_seconds": round(peer, 3), "written_mib": round(written / 2**20),
                "read_mib": round(read / 2**20),
                "gb_per_second": round((written + read) / seconds / 1e9, 3),
                "ratio_to_dd": round(peer / seconds, 3),
                "ratio_to_memory": round(seconds / in_memory, 2)}), flush=True)


if __name__ == "__main__":
    main()
