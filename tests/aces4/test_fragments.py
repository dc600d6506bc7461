#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The fragment programs of ACES4, unchanged, against the values of its C++ tests.

    test_fragments.py one|three|mpi [JOB...]

Their inputs stand in comments of test_qm_frag.cpp, as ZMATs with a section *FRAGLIST. A ZMAT gives the values of its last
program to 1e-7, since its bohr differs. A job file in bohr gives those of each program to 1e-8; one more has several
segments for each fragment.
"""

import pathlib
import re
import sys
import tempfile

import clone
from test_jobs import ATOM, check, zmats

BOHR = 0.529177249  # angstrom, as ACES has it
LIMIT = 1e-8        # hartree

# Values by the number of programs that have run. The C++ test names two more of the third, which the program no longer has.
EXPECTED = {
    "fef_ccpt2_water_test": {1: [("total_scf_energy", -151.17093637179818)],
                             2: [("total_scf_energy", -151.18557576266943)],
                             3: [("dimer_doubles", -0.00045777487375), ("fragment_doubles", -0.25782252185281)]},
    # Without e10pol_at, to which mcpt2_corr_lowmem adds the repulsion of all nuclei, mcpt2_corr that between fragments.
    "mcpt2_water_test": {1: [("e1exc_at", 0.00392118115294), ("singles", -0.00075493885372), ("mono_lccd", 0.258920875522295),
                             ("dimer_doubles", -0.00048177099748), ("fragment_doubles", -0.25889198174987)]},
    "frag_scf_333_test": {1: [("total_scf_energy", -2685.41678798317707)]},
}


def fragments_of(text):
    """Distances, and for each fragment the numbers of its atoms from 1."""
    words = text.split("*FRAGLIST")[1].split()
    count, distances = int(words[0]), [float(word) for word in words[1:3]]
    # The list of lengths may be longer than the number of fragments: what counts is a line.
    lines = [line.split() for line in text.split("*FRAGLIST")[1].strip().split("\n")]
    lengths = [int(word) for word in lines[1]][:count]
    atoms = [[int(word) for word in line[:length]] for line, length in zip(lines[2:], lengths)]
    return distances, atoms


def array(name, extents, values):
    return f'{name} = {{ extents = {extents}, values = {values}, type = "int" }}\n'


def job_file(root, text, programs, segments):
    (near, far), fragments = fragments_of(text)
    atoms = [line.split() for line in text.split("*ACES2")[0].split("\n") if ATOM.match(line.strip()) and len(line.split()) == 4]
    count, longest = len(fragments), max(len(some) for some in fragments)
    names = re.findall(r"SIAL_PROGRAM\s*=\s*(\w+)\.siox", text)[:programs]
    paths = [str(root / "src" / "sialx" / "qm" / "fef-cc" / f"{name}.sialx") for name in names]
    members = [some[k] if k < len(some) else 0 for k in range(longest) for some in fragments]
    conv = dict(re.findall(r"(scf_conv|cc_conv)\s*=\s*(\d+)", text.lower()))
    geometry = "\n".join(" ".join([atom[0], *(repr(float(x) / BOHR) for x in atom[1:])]) for atom in atoms)
    return (f"programs = {paths}\n".replace("'", '"') + f'[molecule]\nunits = "bohr"\ngeometry = """\n{geometry}\n"""\n'
            + f'[basis]\nname = "3-21g"\nspherical = false\n[segments]\n{segments}\n[constants]\n'
            + f"r_thresh = {near}\nelst_thresh = {far}\nscf_conv = 1e-{conv['scf_conv']}\ncc_conv = 1e-{conv['cc_conv']}\n[arrays]\n"
            + array("natoms_frag", [count], [len(some) for some in fragments])
            + array("watom_frag", [count, longest], members))


def runs_of(root, text, expected):
    """Input, its ending and the programs in it, of each run."""
    for programs in expected:
        yield job_file(root, text, programs, ""), "toml", programs
    yield job_file(root, text, max(expected), "ao = 7\noccupied = 3\nvirtual = 4"), "toml", max(expected)
    yield text, "zmat", max(expected)


def main():
    ranks, *only = sys.argv[1:]
    root = clone.root()
    inputs = zmats(root)
    failed = count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for job in only or EXPECTED:
            for content, kind, programs in runs_of(root, inputs[job], EXPECTED[job]):
                path = folder / f"{job}.{kind}"
                path.write_text(content)
                where = ["--programs", root / "src" / "sialx" / "qm"] if kind == "zmat" else []
                expected = [(*one, LIMIT) for one in EXPECTED[job][programs]]
                try:
                    wrong = check(clone.run(folder, ranks, path, *where), expected, kind)
                except AssertionError as error:
                    wrong = [str(error)]
                print("WRONG" if wrong else "right", f"{job}.{kind}, {programs} programs", *wrong, sep="\n    ", flush=True)
                count, failed = count + 1, failed + bool(wrong)
    print(f"{count - failed} of {count} runs right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
