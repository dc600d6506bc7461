# SPDX-License-Identifier: Apache-2.0
"""Figures of whole jobs: CCSD of water, and the programs of a CCSD of C12H10."""
import json
import pathlib
import sys
import tempfile

from bench import HERE, lines_of

sys.path.insert(0, str(HERE.parent / "jobs"))
import c12h10  # pylint: disable=wrong-import-position

GEOMETRY = "O 0.0 0.0 0.1173\nH 0.0 0.7572 -0.4692\nH 0.0 -0.7572 -0.4692"
WATER = (f'[molecule]\ngeometry = """\n{GEOMETRY}\n"""\n[basis]\nname = "cc-pvdz"\n'
         '[method]\nname = "ccsd"\n[segments]\noccupied = 2\nvirtual = 5\n')
TARGET = 0.9
PREFETCHES = ["0", "1", "auto"]


def measure(bench, text, prefetch, servers, workers, names):
    """Seconds and waits, summed over the workers, of the programs with these names."""
    with tempfile.TemporaryDirectory() as folder:
        job = pathlib.Path(folder, "job.toml")
        job.write_text(text)
        report = bench.run([job, "-w", workers, "-s", servers, "--prefetch", prefetch])
    found = {}
    for name in names:
        program = next(p for p in report["programs"] if p["name"].startswith(name))
        workers_of = program["workers"]
        found[name] = {"seconds": program["seconds"],
                       "wait_seconds": sum(worker["block_wait_seconds"] for worker in workers_of),
                       "barrier_seconds": sum(worker["barrier_seconds"] for worker in workers_of),
                       "hit_ratio": min(worker["hit_ratio"] for worker in workers_of)}
    return found


def gone(curves, prefetch, key):
    """By which share the wait is less than without prefetching."""
    return [1 - point[key] / max(without[key], 1e-9) for point, without in zip(curves[prefetch], curves["0"])]


def ccsd(bench):
    servers = [1] if bench.options.quick else [1, 2, 3, 4]
    bench.series("ccsd", servers, PREFETCHES, lambda p, s: measure(bench, WATER, p, s, 1, ["ccsd"])["ccsd"])
    _, curves = bench.curves("ccsd")
    bench.plot("ccsd", [[("CCSD of water, cc-pVDZ", "servers", "seconds", servers, lines_of(curves, "seconds"))],
                        [("", "servers", "seconds of waiting", servers, lines_of(curves, "wait_seconds"))]])
    for count, share in zip(servers, gone(curves, "auto", "wait_seconds")):
        print(json.dumps({"bench": "prefetch", "case": f"ccsd wait gone, {count} servers",
                          "share": share, "target": TARGET}))


def molecule(bench):
    """C12H10: SCF, transformation and CCSD, each with its time, its wait for blocks and at barriers."""
    names = {"scf_rhf": "SCF", "transform_rhf": "transformation", "ccsd_rhf": "CCSD"}
    options = bench.options
    servers = [1, 2] if options.quick else [1, 2, 3, 4]
    text = c12h10.job_file(options.iterations, options.basis)

    def flat(prefetch, count):
        found = measure(bench, text, prefetch, count, options.workers, names)
        return {f"{key}_{name}": value for name, one in found.items() for key, value in one.items()}

    bench.series("c12h10", servers, PREFETCHES, flat)
    _, curves = bench.curves("c12h10")
    bench.plot("c12h10", [[(f"{title}: {what}", "servers", "seconds", servers, lines_of(curves, f"{key}_{name}"))
                           for name, title in names.items()]
                          for key, what in (("seconds", "time"), ("wait_seconds", "waiting for blocks"),
                                            ("barrier_seconds", "waiting at barriers"))])
    rows = []
    for prefetch in PREFETCHES[1:]:
        for name, title in names.items():
            shares = gone(curves, prefetch, f"wait_seconds_{name}")
            rows.append(f"| {title}, prefetch {prefetch} | " +
                        " | ".join(f"{100 * share:.0f} %" for share in shares) + " |\n")
            print(json.dumps({"bench": "prefetch", "case": f"c12h10 {name} prefetch {prefetch}",
                              **{f"wait_gone_{count}_servers": share for count, share in zip(servers, shares)}}))
    table = (f"C12H10, {options.basis}, {options.workers} workers: wait for blocks that is gone "
             "(published, cc-pVDZ, 3 workers: 27 % in CCSD, more with more servers; none in SCF)\n\n"
             "| program | " + " | ".join(f"{count} servers" for count in servers) + " |\n|" +
             "---|" * (len(servers) + 1) + "\n" + "".join(rows))
    (options.out / "c12h10.md").write_text(table)
    print(table)
