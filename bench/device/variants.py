#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What does each part of a block's path to a device gain? See README.md.

usage: variants.py BLOCKYARD [--device sim opencl] [--molecule c12h10] [--basis BASIS] [--iterations 3] [--workers 1]

C12H10 in STO-3G; on the simulated device, which multiplies number by number, water in 6-31G* unless asked for more.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jobs"))
import c12h10  # pylint: disable=wrong-import-position

# Each adds a part to the one before; the last two run on two processes, to compare with each other.
VARIANTS = {
    "unpinned": (1, ["--without-page-locks", "--without-pools", "--device-streams", "1"]),
    "pinned": (1, ["--without-pools", "--device-streams", "1"]),
    "cached": (1, ["--device-streams", "1"]),
    "streams": (1, []),
    "two processes": (2, ["--device-network", "off"]),
    "network direct": (2, ["--device-network", "on"]),
}
# Locks in small pages on the simulation; copies on a processor, where OpenCL would work in place.
OPTIONS = {"sim": "page=4096", "opencl": "in_place=0"}
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}
SAME_HARTREE = 1e-8
WATER = "O 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587"


def run(options, device, variant):
    """A line of figures, and the correlation energy."""
    processes, switches = VARIANTS[variant]
    molecule = options.molecule or ("water" if device == "sim" else "c12h10")
    basis = options.basis or ("6-31g*" if molecule == "water" else "sto-3g")
    if sys.stderr.isatty():
        print(f"{device} {variant} ...", end="\r", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        job, report, result = (pathlib.Path(folder, name) for name in ("job.toml", "report.json", "result.json"))
        job.write_text(c12h10.job_file(options.iterations, basis, WATER if molecule == "water" else ""), encoding="utf-8")
        command = [options.blockyard, "run", job, "-w", str(options.workers), "--memory", options.memory, "--quiet",
                   "--device", device, "--report", report, "--json", result, *switches]
        if device in OPTIONS:
            command += ["--device-options", OPTIONS[device]]
        if processes > 1:
            command = ["mpirun", "-n", str(processes), *command]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                              env=os.environ | MPI)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}:\n{done.stderr}")
        found = json.loads(report.read_text(encoding="utf-8"))
        energy = json.loads(result.read_text(encoding="utf-8"))["scalars"]["ccsd_correlation"]
    total = {}
    used = [one for one in found["devices"] if one["runs"] > 0]
    for one in used:
        for key, value in one.items():
            if isinstance(value, (int, float)):
                total[key] = total.get(key, 0) + value
    count = len(used)
    if count == 0:
        sys.exit(f"{device} {variant}: nothing ran on a device")
    line = {"bench": "device_variants", "case": f"{device} {variant}", "molecule": "H2O" if molecule == "water" else "C12H10", "basis": basis,
            "processes": processes, "workers": options.workers}
    line |= {f"seconds_{program['name']}": program["seconds"] for program in found["programs"]}
    line |= {"wait_seconds": total["wait_seconds"], "copied_in_bytes": total["bytes_to_device"],
             "copied_out_bytes": total["bytes_from_device"], "direct_bytes": total["direct_bytes"],
             "pool_hit_ratio": total["pool_hit_ratio"] / count,
             "host_pool_hit_ratio": total["host_pool_hit_ratio"] / count,
             # Without a lock there is nothing that could miss.
             "host_lock_hit_ratio": total["host_lock_hit_ratio"] / count if total["host_locked_bytes"] else 0.0,
             "ccsd_correlation": energy}
    return line, energy


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blockyard")
    parser.add_argument("--device", nargs="+", default=["sim", "opencl"])
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--molecule", choices=["c12h10", "water"], help="default: c12h10, and water on sim")
    parser.add_argument("--basis", help="default: sto-3g, and 6-31g* for water")
    parser.add_argument("--iterations", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--memory", default="2G", help="of each process")
    options = parser.parse_args()
    print(f"{'device, variant':<24}{'transform, s':>14}{'ccsd, s':>10}{'wait, s':>10}{'in, MB':>9}{'out, MB':>9}"
          f"{'direct, MB':>12}{'pool':>7}{'host':>7}{'locks':>7}")
    for device in options.device:
        energies = []
        for variant in options.variants:
            line, energy = run(options, device, variant)
            energies.append(energy)
            print(f"{line['case']:<24}{line['seconds_transform_rhf']:14.2f}{line['seconds_ccsd_rhf']:10.2f}"
                  f"{line['wait_seconds']:10.2f}{line['copied_in_bytes'] / 1e6:9.0f}"
                  f"{line['copied_out_bytes'] / 1e6:9.0f}{line['direct_bytes'] / 1e6:12.0f}"
                  f"{line['pool_hit_ratio']:7.3f}{line['host_pool_hit_ratio']:7.3f}"
                  f"{line['host_lock_hit_ratio']:7.3f}")
            print(json.dumps(line), flush=True)
        if max(energies) - min(energies) > SAME_HARTREE:
            sys.exit(f"{device}: the energies differ: {energies}")


if __name__ == "__main__":
    main()
