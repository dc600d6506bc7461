# SPDX-License-Identifier: Apache-2.0
"""What the figures of offload.py share: the program to measure, servers, and lines of results."""
import contextlib
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

LIMIT_SECONDS = 600
QUICK = os.environ.get("BLOCKYARD_BENCH_QUICK") == "1"


def show(case, text, **figures):
    print(json.dumps({"bench": "offload", "case": case, **figures, "machine": platform.processor() or platform.machine()}),
          flush=True)
    print(f"{case:<44}{text}", file=sys.stderr, flush=True)


class Bench:
    """blockyard: the command line. calls: the program offload_calls; others of this bench lie next to it."""

    def __init__(self, blockyard, calls):
        self.blockyard, self.calls = (str(pathlib.Path(word).resolve()) for word in (blockyard, calls))
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)

    def program(self, name):
        """The path of another program of this bench, None where it could not be built."""
        path = pathlib.Path(self.calls).parent / name
        return str(path) if path.exists() else None

    @contextlib.contextmanager
    def server(self, *options, listen=None):
        """Its address and its process. Without `listen`: a Unix socket."""
        listen = listen or f"unix:{self.folder}/{len(list(self.folder.iterdir()))}.socket"
        with subprocess.Popen([self.blockyard, "offload", "serve", "--listen", listen, "--json", *map(str, options)],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            address = json.loads(process.stdout.readline())["places"][0]
            try:
                yield address, process
            finally:
                process.terminate()
                process.wait(30)

    def words(self, address, place, *options):
        """How `offload run` is started; without an address nothing, so that the program runs alone."""
        return [] if address is None else [self.blockyard, "offload", "run", "--quiet", "--server", address, "--place", place,
                                           *options, "--"]

    def environment(self, keep="0"):
        return os.environ | {"BLOCKYARD_OFFLOAD_KEEP": keep, "OPENBLAS_NUM_THREADS": "1", "XDG_CACHE_HOME": str(self.folder)}

    def run(self, address, place, *words, keep="0"):
        """Seconds of each call, peak memory in bytes, and what the report says."""
        report = self.folder / "report.json"
        done = subprocess.run([*self.words(address, place, "--report", str(report)), self.calls, *map(str, words)],
                              capture_output=True, text=True, timeout=LIMIT_SECONDS, check=True, env=self.environment(keep))
        *seconds, memory = done.stdout.split()
        routines = json.loads(report.read_text())["routines"] if address else []
        return [float(one) for one in seconds], int(memory) * 1024, routines
