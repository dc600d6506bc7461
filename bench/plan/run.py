#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What blockyard plan predicts, against what blockyard run needs. See README.md."""
import importlib.util
import json
import pathlib
import resource
import sys
import tempfile
import time

JOBS = pathlib.Path(__file__).resolve().parents[1] / "jobs" / "run.py"
CASES = [  # molecule, basis, memory
    ("h2o", "cc-pvdz", "1G"),
    ("h2o", "cc-pvtz", "1G"),
    ("water_dimer", "aug-cc-pvdz", "4G"),
    ("benzene", "cc-pvdz", "8G"),
    ("benzene", "cc-pvdz", "300M"),
]
MEMORY_LIMIT = 0.2  # of the measured peak
TIME_LIMIT = 2.0  # times, either way


def load_jobs():
    spec = importlib.util.spec_from_file_location("jobs", JOBS)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def processor_seconds():
    """Of all commands so far: other work on the machine hardly shows in it."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_command(jobs, options, arguments):
    """(seconds, processor seconds, peak bytes) of a command that must end well."""
    started, used = time.monotonic(), processor_seconds()
    code, peak = jobs.run_measured([options.blockyard, *map(str, arguments)], "",
                                   {"OPENBLAS_NUM_THREADS": "1"}, lambda line: None)
    if code != 0:
        sys.exit(f"blockyard {arguments[0]} failed with {code}")
    return time.monotonic() - started, processor_seconds() - used, peak


def measure(jobs, entry, memory, machine, options):
    with tempfile.TemporaryDirectory() as folder:
        files = {name: pathlib.Path(folder, f"{name}.json") for name in ("plan", "result", "report")}
        job = pathlib.Path(folder, "job.toml")
        job.write_text(jobs.job_file(entry))
        common = [job, "--workers", options.cores, "--memory", memory]
        planning, _, _ = run_command(jobs, options, ["plan", *common, "--machine", machine,
                                                  "--no-segments", "--json", files["plan"]])
        seconds, core_seconds, peak = run_command(jobs, options, ["run", *common, "--json", files["result"],
                                                    "--report", files["report"]])
        plan, report = (json.loads(files[name].read_text()) for name in ("plan", "report"))
    servers = {key: sum(server[key] for server in report["servers"])
               for key in ("spilled_bytes", "read_back_bytes")}
    flops = sum(worker["flops"] for program in report["programs"] for worker in program["workers"])
    line = {"bench": "plan", "case": f"{entry['molecule']} {entry['basis']} {memory}",
            "plan_seconds": planning,
            "predicted_seconds": plan["seconds"], "measured_seconds": seconds,
            "predicted_core_seconds": plan["work"]["core_seconds"],
            "measured_core_seconds": core_seconds,
            "predicted_bytes": plan["process_bytes"], "measured_bytes": peak,
            "predicted_flops": plan["work"]["flops"], "measured_flops": flops}
    for key, value in servers.items():
        line[f"predicted_{key}"], line[f"measured_{key}"] = plan["work"][key], value
    for what in ("seconds", "core_seconds", "bytes"):
        line[f"ratio_of_{what}"] = line[f"predicted_{what}"] / line[f"measured_{what}"]
    return line


def print_row(line):
    gib = 2**30
    print(f"{line['case']:30}{line['plan_seconds']:8.2f}"
          f"{line['predicted_seconds']:10.2f}{line['measured_seconds']:9.2f}"
          f"{line['ratio_of_seconds']:7.2f}"
          f"{line['predicted_core_seconds']:9.2f}{line['measured_core_seconds']:9.2f}"
          f"{line['ratio_of_core_seconds']:7.2f}"
          f"{line['predicted_bytes'] / 2**20:9.0f}{line['measured_bytes'] / 2**20:9.0f}"
          f"{line['ratio_of_bytes']:7.2f}"
          f"{line['predicted_spilled_bytes'] / gib:8.2f}{line['measured_spilled_bytes'] / gib:8.2f}"
          f"{line['predicted_read_back_bytes'] / gib:8.2f}"
          f"{line['measured_read_back_bytes'] / gib:8.2f}")
    print(json.dumps(line), flush=True)


def main():
    jobs = load_jobs()
    parser = jobs.parser_of(__doc__)
    parser.add_argument("--machine", help="machine file; default: calibrate first")
    options = parser.parse_args()
    entries = {(entry["molecule"], entry["basis"]): entry
               for entry in json.loads(jobs.REFERENCES.read_text())["entries"]
               if entry["multiplicity"] == 1 and not entry["cart"]}
    print(f"{'case':30}{'plan s':>8}{'pred. s':>10}{'run s':>9}{'ratio':>7}{'cores s':>9}"
          f"{'run s':>9}{'ratio':>7}{'MiB':>9}{'run MiB':>9}{'ratio':>7}{'spilled GiB':>16}{'read back GiB':>16}")
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        machine = options.machine
        if machine is None:
            machine = pathlib.Path(folder, "machine.toml")
            run_command(jobs, options, ["calibrate", "--output", machine])
        for molecule, basis, memory in CASES:
            if options.only not in (None, molecule):
                continue
            line = measure(jobs, entries[molecule, basis], memory, machine, options)
            print_row(line)
            if abs(line["ratio_of_bytes"] - 1) > MEMORY_LIMIT:
                missed.append(f"{line['case']}: memory")
            if not 1 / TIME_LIMIT <= line["ratio_of_seconds"] <= TIME_LIMIT:
                print(f"note: {line['case']}: time is off by more than {TIME_LIMIT} times; is the "
                      "machine busy?", file=sys.stderr)
    if missed:
        sys.exit(f"off by more than {MEMORY_LIMIT:.0%}: {', '.join(missed)}")


if __name__ == "__main__":
    main()
