#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""C12H10 in cc-pVDZ (218 functions), CCSD with 3 iterations, with much memory and with little. See README.md."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ["scf_rhf", "transform_rhf", "mp2_rhf", "ccsd_rhf"]


def job_file(iterations, basis="cc-pvdz", atoms=""):
    """The programs by name, not by method: three iterations are all that is wanted, converged or not."""
    lines = (ROOT / "examples" / "c12h10.zmat").read_text(encoding="utf-8").splitlines()
    title = f"{'other' if atoms else 'C12H10'} {basis}"
    atoms = atoms or "\n".join(line for line in lines[1:] if len(line.split()) == 4)
    programs = ", ".join(f'"{ROOT / "sialib" / name}.sial"' for name in PROGRAMS)
    return (f'title = "{title}"\nprograms = [{programs}]\n[molecule]\ngeometry = """\n{atoms}\n"""\n'
            f'[basis]\nname = "{basis}"\n[constants]\ncc_iterations = {iterations}\n')


def run(options, memory):
    with tempfile.TemporaryDirectory() as folder:
        job, result = pathlib.Path(folder, "job.toml"), pathlib.Path(folder, "result.json")
        job.write_text(job_file(options.iterations), encoding="utf-8")
        begin = time.monotonic()
        done = subprocess.run([options.blockyard, "run", job, "--workers", str(options.cores), "--memory", memory,
                               "--json", result], check=False, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
                              stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f"blockyard failed with {done.returncode}")
        found = json.loads(result.read_text(encoding="utf-8"))
    line = {"bench": "c12h10", "memory": memory, "cores": options.cores, "iterations": options.iterations,
            "seconds": time.monotonic() - begin, "peak_rss_bytes": found["peak_rss_bytes"],
            "ccsd_correlation": found["scalars"]["ccsd_correlation"]}
    line |= {f"seconds_{name}": found["timings"][name] for name in PROGRAMS}
    print(f"{memory:>8}" + "".join(f"{found['timings'][name]:16.1f}" for name in PROGRAMS) +
          f"{line['seconds']:12.1f}{line['peak_rss_bytes'] / 2**20:12.0f}{line['ccsd_correlation']:18.10f}")
    print(json.dumps(line), flush=True)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blockyard")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--memory", default="12G,4G", help="one run for each (default: %(default)s)")
    parser.add_argument("--iterations", type=int, default=3)
    options = parser.parse_args()
    print(f"{'memory':>8}" + "".join(f"{name + ', s':>16}" for name in PROGRAMS) +
          f"{'all, s':>12}{'peak, MiB':>12}{'correlation':>18}")
    lines = [run(options, memory) for memory in options.memory.split(",")]
    if len(lines) > 1:
        print(f"with {lines[-1]['memory']} {lines[-1]['seconds'] / lines[0]['seconds']:.2f} times as long as with "
              f"{lines[0]['memory']}")
        if abs(lines[-1]["ccsd_correlation"] - lines[0]["ccsd_correlation"]) > 1e-8:
            sys.exit("the energies differ")


if __name__ == "__main__":
    main()
