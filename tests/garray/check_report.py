#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program of Global Arrays with BLOCKYARD_GA_REPORT, looks at what it wrote, and shows it with
`blockyard report` where there is one. Usage: check_report.py MPIEXEC PROCESSES PROGRAM [BLOCKYARD]"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def main(mpiexec, processes, program, blockyard=None):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "run.json"
        # A path that a shell would read as commands, of a program that is looked up.
        of_program = pathlib.Path(folder) / "o'brien; touch injected; '"
        of_program.mkdir()
        shutil.copy(program, of_program)
        name = pathlib.Path(program).name
        environment = {**os.environ, "PATH": f"{of_program}:{os.environ['PATH']}"}
        for word in (str(of_program / name), name):
            subprocess.run([mpiexec, "-n", processes, word], check=True, stdout=subprocess.DEVNULL, cwd=folder,
                           env={**environment, "BLOCKYARD_GA_REPORT": "run.json"})
        assert not (pathlib.Path(folder) / "injected").exists()
        done = subprocess.run([mpiexec, "-n", processes, name], check=False, capture_output=True, text=True,
                              env={**environment, "BLOCKYARD_GA_REPORT": f"{folder}/none/run.json"})
        assert done.returncode != 0 and "BLOCKYARD_GA_REPORT: cannot write" in done.stderr, done.stderr
        run = json.loads(path.read_text())
        count = int(processes)
        ranks = run["ranks"]
        assert [rank["rank"] for rank in ranks] == list(range(count))
        assert all(rank["seconds"] > rank["waiting_seconds"] > 0 for rank in ranks)
        # Every byte of a call is in the table of who moved what.
        moved = sum(sum(rank["bytes_to"]) for rank in ranks)
        assert moved == sum(call[kind] for call in run["calls"]
                            for kind in ("own_bytes", "node_bytes", "far_bytes")) > 0
        names = {call["call"] for call in run["calls"]}
        assert {"NGA_Put", "NGA_Get", "GA_Sync"} <= names, names
        lines = {call["line"] for call in run["calls"] if call["call"] == "NGA_Put"}
        assert any(line.startswith("report_program.c:") for line in lines), lines
        put = [call for call in run["calls"] if call["call"] == "NGA_Put"]
        assert sum(call["calls"] for call in put) == count
        assert sum(call["own_bytes"] + call["node_bytes"] + call["far_bytes"]
                   for call in put) == count * 100 * 100 * 8
        # A whole array of 80,000 bytes, in a piece for each owner; and a counter that all go to.
        assert run["size_limits"] == [64, 1024, 16384, 262144, 4194304]
        assert sum(call["sizes"][3] for call in put) == sum(map(sum, (call["sizes"] for call in put))) == count * count
        assert run["hot"][0] == {"element": "counter[3]", "uses": 40 * count}, run["hot"]
        # Lists, and many short calls of one place, of which some are timed.
        all_of = lambda name: [call for call in run["calls"] if call["call"] == name]
        bytes_of = lambda call: call["own_bytes"] + call["node_bytes"] + call["far_bytes"]
        gather, = all_of("NGA_Gather_flat")
        assert gather["calls"] == count and bytes_of(gather) == count * 200 * 8, gather
        single, = (call for call in all_of("NGA_Get") if call["calls"] == 300 * count)
        assert bytes_of(single) == count * 300 * 8 and single["seconds"] > 0, single
        event, = all_of("event one by one")
        assert event["calls"] == count and event["seconds"] > 0, event
        assert event["line"].startswith("report_program.c:"), event
        array, = (array for array in run["arrays"] if array["name"] == "<field>")
        assert array["made"] == 2 and array["bytes"] == 100 * 100 * 8, array
        assert array["most_bytes"] >= array["bytes"] / count
        if blockyard:
            page = subprocess.run([blockyard, "report", str(path), "-o", "-"], check=True, text=True,
                                  capture_output=True).stdout
            assert "<td>counter[3]</td><td>" in page and "<th>to 16.0 KiB</th>" in page
            assert "NGA_Put" in page and "&lt;field>" in page and "<field>" not in page
    print("report: ok")


if __name__ == "__main__":
    main(*sys.argv[1:])
