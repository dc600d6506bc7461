#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged files of every format that blockyard reads: each is taken or refused with a cause, soon, and never ends in
a crash, a hang or the text of a library's exception. BLOCKYARD_MUTATIONS: this many of each format (default: 6), from
seed BLOCKYARD_SEED (default: 1) on. A failing input is kept, and its path printed."""

import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "jobs"))
import common  # pylint: disable=wrong-import-position

BLOCKYARD = common.BLOCKYARD
COUNT = int(os.environ.get("BLOCKYARD_MUTATIONS", "6"))
SEED = int(os.environ.get("BLOCKYARD_SEED", "1"))
LIMIT_SECONDS = 120  # a hang is an error; nothing here takes longer than a second or two

SOURCE = common.program("seed", __file__)
TOML = 'title = "water"' + common.WATER + """[basis]
name = "sto-3g"
[method]
name = "scf"
[run]
workers = 2
"""
ZMAT = """water
O
H 1 R
H 1 R 2 A

R=0.96
A=104.5

*ACES2(REF=RHF,CALC=CCSD,BASIS=3-21G
CC_CONV=8,SCF_CONV=8)

"""
# Barriers until it is stopped: at which of them the signal is noticed does not matter.
WAITING = """sial waiting
index k = 1:100000000
scalar x
x = 1.0
print "begun"
do k
  sip_barrier
  x += 1.0
enddo k
endsial waiting
"""
# What only the text of a library, or of none, would say.
RAW = re.compile(r"std::|json\.exception|bad_alloc|terminate called|basic_string|vector::|Sanitizer|runtime error")


def mutate(draw, data):
    """One to four changes: bits, bytes, pieces gone, doubled, moved, or numbers at their limits."""
    data = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        if not data:
            break
        at = draw.randrange(len(data))
        length = min(draw.choice([1, 2, 4, 8, 33, 200]), len(data) - at)
        kind = draw.randrange(7)
        if kind == 0:
            data[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            data[at] = draw.choice(b"\x00\xff\x7f\x80\x1b\n \"'[](){}=.,-09aZ")
        elif kind == 2:
            del data[at:at + length]
        elif kind == 3:
            data[at:at] = data[at:at + length]
        elif kind == 4:
            del data[at:]
        elif kind == 5:
            limit = draw.choice([0, 1, -1, 2**31 - 1, -2**31, 2**62, 2**63 - 1, -2**63])
            data[at:at + 8] = limit.to_bytes(8, "little", signed=True)
        else:
            other = draw.randrange(len(data))
            data[at:at + length], data[other:other + length] = data[other:other + length], data[at:at + length]
    return bytes(data)


def damage_sealed(draw, data):
    """A file cut short, or one whose seal tells what happened to the bytes before it: HDF5 itself does not survive all that."""
    seal_bytes = 24
    if draw.randrange(4) == 0:
        return data[:draw.randrange(len(data))]
    return mutate(draw, data[:-seal_bytes]) + data[-seal_bytes:]


def spill_file():
    """The worked example of docs/disk.md, in pages."""
    lines = re.search(r"```bytes\n(.*?)```", (ROOT / "docs/disk.md").read_text(encoding="utf-8"), re.S)[1]
    data = bytes(int(word, 16) for line in lines.splitlines() for word in line.split("#")[0].split())
    return data[:24].ljust(4096, b"\0") + data[24:].ljust(4096, b"\0")


class Mutations(common.JobTest):
    def run_blockyard(self, *arguments):
        return subprocess.run([BLOCKYARD, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              errors="replace", timeout=LIMIT_SECONDS, check=False,
                              env={**os.environ, "TMPDIR": str(self.scratch)})

    def seed(self, name, *command):
        """The bytes of a file that a command makes."""
        done = self.run_blockyard(*command)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / name).read_bytes()

    def check(self, name, data, commands, change=mutate):
        """Every mutation of `data`, in a file `name`, with each of the commands; {} is the file."""
        for number in range(SEED, SEED + COUNT):
            draw = random.Random(f"{name} {number}")
            path = self.folder / name
            path.write_bytes(change(draw, data))
            for command in commands:
                with self.subTest(name=name, seed=number, command=command):
                    self.check_one(path, [word.format(path) for word in command])

    def check_one(self, path, command):
        try:
            done = self.run_blockyard(*command)
            good = done.returncode in (0, 1, 2) and not RAW.search(done.stderr)
            good = good and (done.returncode == 0 or done.stderr or done.stdout) and not list(self.scratch.iterdir())
            said = f"exit code {done.returncode}: {done.stderr}"
        except subprocess.TimeoutExpired:
            good, said = False, "it hangs"
        if not good:
            kept = pathlib.Path(tempfile.mkdtemp(prefix="mutation-")) / path.name
            shutil.copy(path, kept)
            self.fail(f"{' '.join(command)}: {said}; the input is {kept}")

    def source(self):
        path = self.folder / "seed.sial"
        path.write_text(SOURCE)
        return path

    def test_sources(self):
        self.check("damaged.sial", SOURCE.encode(), [["check", "{}"], ["fmt", "--stdout", "{}"]])

    def test_compiled_programs(self):
        data = self.seed("seed.byx", "compile", self.source(), "-o", "seed.byx")
        self.check("damaged.byx", data, [["dump", "{}"]])

    def test_job_files(self):
        self.check("damaged.toml", TOML.encode(), [["convert", "{}", "-"]])

    def test_zmats(self):
        (self.folder / "inner").mkdir()
        self.check("ZMAT", ZMAT.encode(), [["convert", "{}", "-"]])

    def test_job_files_of_aces(self):
        (self.folder / "seed.toml").write_text(TOML)
        data = self.seed("seed.dat", "convert", "seed.toml", "seed.dat")
        self.check("damaged.dat", data, [["dump", "{}"]])

    def test_spill_files(self):
        self.check("damaged.spill", spill_file(), [["dump", "{}"]])

    def test_persistent_files(self):
        data = self.seed("kept.h5", "run", self.source(), "--segments", "ao=2,3", "--persistent", "kept.h5")
        self.check("damaged.h5", data, [["dump", "{}"]], damage_sealed)

    def test_reports(self):
        data = self.seed("run.json", "run", self.source(), "--segments", "ao=2,3", "--report", "run.json")
        self.check("damaged.json", data, [["compare", "{}", "run.json"], ["report", "{}", "-o", "page.html"]])

    def test_checkpoints(self):
        (self.folder / "waiting.sial").write_text(WAITING)
        with subprocess.Popen([BLOCKYARD, "run", "waiting.sial", "-w", "1", "--checkpoint-dir", "saved"], text=True,
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, "TMPDIR": str(self.scratch)}) as child:
            self.assertEqual(child.stdout.readline(), "begun\n")
            child.send_signal(signal.SIGTERM)
            child.communicate(timeout=LIMIT_SECONDS)
        good = self.folder / "saved" / "checkpoint-000001"
        self.assertTrue(good.is_dir())
        for number in range(SEED, SEED + COUNT):
            draw = random.Random(f"checkpoint {number}")
            saved = self.folder / f"damaged-{number}"
            shutil.copytree(good, saved / "checkpoint-000001")
            part = draw.choice(sorted((saved / "checkpoint-000001").iterdir()))
            part.write_bytes(mutate(draw, part.read_bytes()))
            with self.subTest(part=part.name, seed=number):
                self.check_one(part, ["resume", str(saved)])


if __name__ == "__main__":
    sys.exit(unittest.main())
