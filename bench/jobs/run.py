#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CCSD(T) with Blockyard and with PySCF, side by side. See README.md."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
REFERENCES = ROOT / "tests" / "reference" / "energies.json"
LIMIT_HARTREE = 1e-8
SMALLEST = 60  # functions; the tests run what is smaller
ENERGY_CONVERGENCE = 1e-9  # hartree
AMPLITUDE_CONVERGENCE = 1e-7  # norm of their change
ENERGIES = {"scf": "e_scf", "mp2": "e_mp2", "ccsd": "e_ccsd", "ccsd_t": "e_ccsd_t"}

# Runs in a process of its own, so that its peak memory is that of PySCF alone.
PYSCF_FIELD = """
import io, json, sys, time
from pyscf import cc, gto, lib, scf
entry, cores, energy, amplitude = json.load(sys.stdin)
lib.num_threads(cores)
molecule = gto.M(atom=entry["geometry_angstrom"], basis=entry["basis"], charge=entry["charge"],
                 cart=entry["cart"], max_memory=16000, verbose=0)
field = scf.RHF(molecule).set(conv_tol=1e-11).run()
ccsd = cc.RCCSD(field, frozen=entry["frozen_core_orbitals"] or None)
"""
PYSCF = PYSCF_FIELD + """
times = []
ccsd.set(conv_tol=energy, conv_tol_normt=amplitude, callback=lambda _: times.append(time.monotonic()))
ccsd.run()
begin = time.monotonic()
total = ccsd.e_tot + ccsd.ccsd_t()
print(json.dumps({"times": times, "ccsd": ccsd.e_tot, "converged": bool(ccsd.converged), "ccsd_t": total,
                  "seconds_triples": time.monotonic() - begin}))
"""


def run_measured(command, given, environment, on_line):
    """Runs a command; calls on_line for each line of its output; returns (exit code, peak bytes)."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env=os.environ | environment)
    process.stdin.write(given)
    process.stdin.close()
    for line in process.stdout:
        on_line(line)
    _, status, usage = os.wait4(process.pid, 0)
    return os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024


def seconds_per_iteration(times):
    """Median distance of the iterations. The first is left out: it may wait for a cold start."""
    gaps = [later - earlier for earlier, later in zip(times, times[1:])]
    return statistics.median(gaps[1:] or gaps or [float("nan")])


def job_file(entry, method="ccsd(t)", options=""):
    atoms = "\n".join(f"{symbol} {x!r} {y!r} {z!r}" for symbol, x, y, z in entry["geometry_angstrom"])
    return f'''title = "{entry["molecule"]} {entry["basis"]}"
[molecule]
geometry = """
{atoms}
"""
charge = {entry["charge"]}
multiplicity = {entry.get("multiplicity", 1)}
[basis]
name = "{entry["basis"]}"
spherical = {str(not entry["cart"]).lower()}
[method]
name = "{method}"
frozen_core = {entry["frozen_core_orbitals"]}
cc_energy_convergence = {ENERGY_CONVERGENCE}
cc_amplitude_convergence = {AMPLITUDE_CONVERGENCE}
{options}
'''


def run_job(text, options):
    """Results, peak bytes and seconds of a job."""
    with tempfile.TemporaryDirectory() as folder:
        job, result = pathlib.Path(folder, "job.toml"), pathlib.Path(folder, "result.json")
        job.write_text(text)
        started = time.monotonic()
        code, peak = run_measured(
            [options.blockyard, "run", str(job), "--json", str(result), "--workers",
             str(options.cores), "--memory", options.memory, *options.more],
            "", {"OPENBLAS_NUM_THREADS": "1"}, lambda line: None)
        seconds = time.monotonic() - started
        if code != 0:
            sys.exit(f"blockyard failed with {code} on\n{text}")
        return json.loads(result.read_text()), peak, seconds


def run_blockyard(entry, options):
    found, peak, seconds = run_job(job_file(entry), options)
    iterations = found["iterations"]["ccsd"]
    # The whole program, its sorting of integrals included: no favour to us.
    return {"seconds_per_iteration": found["timings"]["ccsd_rhf"] / iterations,
            "seconds_triples": found["timings"]["triples_rhf"],
            "iterations": iterations, "peak_rss_bytes": peak, "seconds": seconds,
            "energies": found["energies"], "timings": found["timings"]}


def run_pyscf(entry, options):
    lines = []
    started = time.monotonic()
    code, peak = run_measured(
        [sys.executable, "-c", PYSCF],
        json.dumps([entry, options.cores, ENERGY_CONVERGENCE, AMPLITUDE_CONVERGENCE]),
        {"OMP_NUM_THREADS": str(options.cores)}, lines.append)
    if code != 0:
        sys.exit("PySCF failed")
    found = json.loads(lines[-1])
    return {"seconds_per_iteration": seconds_per_iteration(found["times"]),
            "iterations": len(found["times"]), "peak_rss_bytes": peak,
            "seconds_triples": found["seconds_triples"], "seconds": time.monotonic() - started,
            "energies": {"ccsd": found["ccsd"], "ccsd_t": found["ccsd_t"]}}


def has_pyscf():
    return subprocess.run([sys.executable, "-c", "import pyscf"], capture_output=True,
                          check=False).returncode == 0


def worst_difference(energies, entry):
    """Largest distance from the reference; infinite when an energy is missing."""
    return max(abs(energies.get(name, float("inf")) - entry[key]) for name, key in ENERGIES.items())


def report(entry, ours, theirs):
    """Prints the rows of the table and the JSON line; says whether the energies agree."""
    case = f"{entry['molecule']} {entry['basis']}"
    difference = worst_difference(ours["energies"], entry)
    for name, run in (("Blockyard", ours), ("PySCF", theirs)):
        if run:
            print(f"{case:24}{name:10}{entry['nbf']:5}{run['iterations']:6}"
                  f"{run['seconds_per_iteration']:12.3f}{run['seconds_triples']:10.2f}"
                  f"{run['seconds']:10.1f}{run['peak_rss_bytes'] / 2**20:10.0f}"
                  f"{run['energies']['ccsd_t']:20.10f}")
    line = {"bench": "jobs", "case": case, "functions": entry["nbf"],
            "difference_hartree": difference}
    line |= {key: ours[key] for key in ("seconds_per_iteration", "seconds_triples", "iterations", "seconds",
                                        "peak_rss_bytes")}
    line |= {f"seconds_{name}": seconds for name, seconds in ours["timings"].items()}
    if theirs:
        line["pyscf_seconds_per_iteration"] = theirs["seconds_per_iteration"]
        line["pyscf_peak_rss_bytes"] = theirs["peak_rss_bytes"]
        line["ratio_to_pyscf"] = ours["seconds_per_iteration"] / theirs["seconds_per_iteration"]
        line["pyscf_seconds_triples"] = theirs["seconds_triples"]
        line["ratio_of_triples"] = ours["seconds_triples"] / theirs["seconds_triples"]
        line["ratio_of_memory"] = ours["peak_rss_bytes"] / theirs["peak_rss_bytes"]
    print(json.dumps(line), flush=True)
    return difference <= LIMIT_HARTREE


def parser_of(description):
    """Of a benchmark of jobs, with the options that all of them have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("blockyard", help="the program to measure")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--only", help="this molecule alone")
    return parser


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--memory", default="8G")
    parser.add_argument("--no-pyscf", action="store_true")
    parser.add_argument("--more", nargs="*", default=[], help="more options for blockyard run")
    options = parser.parse_args()
    if not options.no_pyscf and not has_pyscf():
        print("SKIPPED: no comparison with PySCF, it is not installed", file=sys.stderr)
        options.no_pyscf = True

    entries = [entry for entry in json.loads(REFERENCES.read_text())["entries"]
               if entry["nbf"] > SMALLEST and entry["multiplicity"] == 1
               and options.only in (None, entry["molecule"])]
    print(f"{'case':24}{'program':10}{'nbf':>5}{'iter':>6}{'s/iter':>12}{'s (T)':>10}{'s':>10}"
          f"{'MiB':>10}{'CCSD(T) energy':>20}")
    agree = True
    for entry in entries:
        ours = run_blockyard(entry, options)
        compare = entry["molecule"] in ("benzene", "water_dimer") and not options.no_pyscf
        agree = report(entry, ours, run_pyscf(entry, options) if compare else None) and agree
    if not agree:
        sys.exit(f"an energy differs from the reference by more than {LIMIT_HARTREE:g} hartree")


if __name__ == "__main__":
    main()
