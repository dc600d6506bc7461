#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lambda equations of CCSD: spin-adapted, over spin orbitals, and with PySCF. See README.md."""
import json
import os
import sys

import run

MOLECULES = [("h2o", "cc-pvtz"), ("water_dimer", "aug-cc-pvdz"), ("benzene", "cc-pvdz")]
LIMIT_DIPOLE = 1e-6  # atomic units

# In a process of its own, as in run.py. Counts the iterations by the lines of PySCF's log.
PYSCF = run.PYSCF_FIELD + """
ccsd.set(conv_tol=energy, conv_tol_normt=amplitude).run()
ccsd.set(stdout=io.StringIO(), verbose=5)
begin = time.monotonic()
ccsd.solve_lambda()
seconds = time.monotonic() - begin
iterations = sum(line.startswith("cycle = ") for line in ccsd.stdout.getvalue().splitlines())
dipole = field.dip_moment(molecule, ccsd.make_rdm1(ao_repr=True), unit="AU", verbose=0)
print(json.dumps({"seconds": seconds, "iterations": iterations, "dipole": list(dipole)}))
"""


def run_pyscf(entry, options):
    lines = []
    code, peak = run.run_measured(
        [sys.executable, "-c", PYSCF],
        json.dumps([entry, options.cores, run.ENERGY_CONVERGENCE, run.AMPLITUDE_CONVERGENCE]),
        # Threads that wait without sleeping make PySCF up to ten times slower where something else runs.
        {"OMP_NUM_THREADS": str(options.cores), "OMP_WAIT_POLICY": "PASSIVE"}, lines.append)
    if code != 0:
        sys.exit("PySCF failed")
    return json.loads(lines[-1]) | {"peak_rss_bytes": peak}


def run_ours(entry, options, is_restricted):
    text = run.job_file(entry, "ccsd-density", "" if is_restricted else "unrestricted = true")
    found, peak, _ = run.run_job(text, options)
    shells = "rhf" if is_restricted else "uhf"
    return {"seconds": found["timings"][f"lambda_{shells}"], "iterations": found["iterations"]["lambda"],
            "seconds_ccsd": found["timings"][f"ccsd_{shells}"], "iterations_ccsd": found["iterations"]["ccsd"],
            "dipole": found["dipoles"]["ccsd"], "peak_rss_bytes": peak}


def report(entry, results):
    """Prints a row of each program and the JSON line; says whether the dipole moments agree."""
    case = f"{entry['molecule']} {entry['basis']}"
    line = {"bench": "densities", "case": case, "cores": os.cpu_count()}
    agree = True
    for name, found in results.items():
        an_iteration = found["seconds"] / max(1, found["iterations"])
        size = sum(x * x for x in found["dipole"]) ** 0.5
        print(f"{case:26}{name:14}{found['iterations']:5}{an_iteration:11.3f}{found['seconds']:9.2f}"
              f"{found['peak_rss_bytes'] / 2**20:8.0f}{size:14.8f}")
        line[name] = found
        first = next(iter(results.values()))
        agree = agree and all(abs(x - y) < LIMIT_DIPOLE for x, y in zip(found["dipole"], first["dipole"]))
    print(json.dumps(line), flush=True)
    return agree


def main():
    parser = run.parser_of(__doc__)
    parser.add_argument("--memory", default="8G")
    parser.add_argument("--no-pyscf", action="store_true")
    parser.add_argument("--no-spin-orbitals", action="store_true")
    parser.add_argument("--more", nargs="*", default=[], help="more options for blockyard run")
    options = parser.parse_args()
    if not options.no_pyscf and not run.has_pyscf():
        print("SKIPPED: no comparison with PySCF, it is not installed", file=sys.stderr)
        options.no_pyscf = True
    entries = {(entry["molecule"], entry["basis"]): entry
               for entry in json.loads(run.REFERENCES.read_text())["entries"] if not entry["frozen_core"]}
    print(f"{'case':26}{'program':14}{'iter':>5}{'s/iter':>11}{'s':>9}{'MiB':>8}{'dipole, a.u.':>14}")
    agree = True
    for key in MOLECULES:
        if options.only not in (None, key[0]):
            continue
        results = {"spin-adapted": run_ours(entries[key], options, True)}
        if not options.no_spin_orbitals:
            results["spin orbitals"] = run_ours(entries[key], options, False)
        if not options.no_pyscf:
            results["PySCF"] = run_pyscf(entries[key], options)
        agree = report(entries[key], results) and agree
    if not agree:
        sys.exit(f"dipole moments differ by more than {LIMIT_DIPOLE:g} atomic units")


if __name__ == "__main__":
    main()
