#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that know nothing of Blockyard compute on a device of a server."""

import json
import os
import pathlib
import re
import signal
import shutil
import socket
import subprocess
import sys
import unittest

from offloaded import (BLOCKYARD, CALLER, EXAMPLES, FFTW_CALLER, LEVEL3_CALLER, JOB, LAPACK_CALLER, LIBRARY, LIBRARY_REMOTE,
                       LIMIT_SECONDS, POISSON, PRODUCT, RULES_CALLER, TABLES, VECTORS_CALLER,
                       Offload, run_program)


class Programs(Offload):
    def test_products_of_all_kinds_on_a_device(self):
        for device in ("host", "sim"):
            with self.subTest(device):
                server = self.serve("--device", device, name=device)
                done, calls = self.run_at(server.address, CALLER)
                self.assertEqual(done.stdout, "0 wrong\n")
                self.assertGreater(calls["remote"], 180)
                self.assertEqual(calls["local"], 0)
                self.assertEqual(server.end(), 0)

    def test_all_of_level_3_on_a_device(self):
        for device in ("host", "sim"):
            with self.subTest(device):
                server = self.serve("--device", device, name=device)
                done, calls = self.run_at(server.address, LEVEL3_CALLER)
                self.assertRegex(done.stdout, r"^\d+ calls, 0 wrong\n$")
                self.assertGreater(calls["remote"], 2000)
                self.assertEqual(calls["local"], 0)
                server.end()

    def test_what_the_programs_library_lacks_is_made_of_its_gemm(self):
        reference = next(pathlib.Path("/usr/lib").glob("*/blas/libblas.so.3"), None)
        if reference is None:
            self.skipTest("the reference BLAS is not installed")
        calls = []
        for preload in ("", LIBRARY):
            done = run_program([LEVEL3_CALLER],
                               env=os.environ | {"LD_LIBRARY_PATH": str(reference.parent), "LD_PRELOAD": preload})
            calls.append(int(re.fullmatch(r"(\d+) calls, 0 wrong\n", done.stdout)[1]))
        self.assertGreater(calls[1], calls[0])  # gemmt and gemm3m

    def test_the_child_of_a_fork_does_not_wait_for_a_thread_of_its_parent(self):
        """Which is connecting to a server that accepts, and says nothing."""
        self.need_numpy()
        program = """if True:
            import numpy, os, sys, threading
            a = numpy.ones((200, 200))
            thread = threading.Thread(target=lambda: a @ a)
            thread.start()
            sys.stdin.readline()
            child = os.fork()
            if child == 0:
                os._exit(0 if (a @ a == 200).all() else 1)
            print(os.waitpid(child, 0)[1])
            thread.join()"""
        with socket.create_server(("127.0.0.1", 0)) as silent:
            process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                       stderr=subprocess.DEVNULL, env=os.environ | {
                                           "LD_PRELOAD": LIBRARY, "BLOCKYARD_OFFLOAD_PLACE": "remote",
                                           "BLOCKYARD_OFFLOAD": f"127.0.0.1:{silent.getsockname()[1]}"})
            accepted, _ = silent.accept()
            with accepted:
                self.assertEqual(process.communicate("go on\n", timeout=LIMIT_SECONDS)[0], "0\n")

    def test_levels_1_and_2_and_batches_on_a_device(self):
        self.assertRegex(run_program([VECTORS_CALLER]).stdout, r", 0 wrong\n$")
        for device in ("host", "sim"):
            with self.subTest(device):
                server = self.serve("--device", device, name=device)
                done, calls = self.run_at(server.address, VECTORS_CALLER, "exact")
                self.assertRegex(done.stdout, r"^\d+ calls, 0 wrong\n$")
                found = json.loads((self.folder / "report.json").read_text())["routines"]
                self.assertLessEqual({"dgemv", "dger", "zgeru", "zgerc", "dsymv", "zhemv", "dtrmv", "dtrsv", "ddot", "zdotu",
                                      "zdotc", "daxpy", "dgemm"}, {one["routine"] for one in found})
                self.assertGreater(calls["remote"], 400)
                self.assertEqual(calls["local"], 0)
                server.end()
        server = self.serve("--client-memory", "16K", name="small")  # matrices have no room
        self.assertRegex(self.run_at(server.address, VECTORS_CALLER)[0].stdout, r", 0 wrong\n$")
        server.end()
        done, calls = self.run_at(f"unix:{self.folder}/nobody", VECTORS_CALLER)
        self.assertRegex(done.stdout, r", 0 wrong\n$")
        self.assertEqual(calls["remote"], 0)

    def test_products_from_two_ends(self):
        for device in ("host", "sim"):
            with self.subTest(device):
                server = self.serve("--device", device, name=device)
                done, calls = self.run_at(server.address, CALLER, place="both")
                self.assertEqual(done.stdout, "0 wrong\n")
                self.assertGreater(calls["remote"], 0)
                server.end()

    def test_products_of_numpy_from_two_ends(self):
        self.need_numpy()
        server = self.serve()
        done, _ = self.run_at(server.address, sys.executable, "-c", PRODUCT, place="both")
        self.assertEqual(done.stdout, "True True\n")

    def test_whole_routines_of_lapack_on_a_device(self):
        server = self.serve("--device", "host")
        done, calls = self.run_at(server.address, LAPACK_CALLER)
        self.assertRegex(done.stdout, r"^\d+ tests, 0 wrong\n$")
        self.assertEqual(calls["local"], 4)  # getri of what has no inverse
        self.assertGreater(calls["remote"], 250)
        shortest, with_shortest = self.run_at(server.address, LAPACK_CALLER, "shortest")
        self.assertEqual(shortest.stdout, done.stdout, "with the shortest workspaces")
        self.assertEqual(with_shortest, calls)

    def test_what_surrounds_calls_in_programs_does_no_harm(self):
        """Refusals, NaN, threads, signals, closed streams, calls at the very end."""
        for device in ("host", "sim"):
            with self.subTest(device):
                server = self.serve("--device", device, name=device)
                done, calls = self.run_at(server.address, RULES_CALLER)
                self.assertEqual(done.stdout, "0 wrong\n")
                self.assertGreater(calls["remote"], 60)
                server.end()

    def test_transforms_on_a_device(self):
        if not FFTW_CALLER:
            self.skipTest("this machine has no libfftw3-dev")
        for device in ("host", "sim"):
            with self.subTest(device):
                server = self.serve("--device", device, name=device)
                done, calls = self.run_at(server.address, FFTW_CALLER)
                executions = re.fullmatch(r"(\d+) executions, \d+ tests, 0 wrong\n", done.stdout)
                self.assertTrue(executions, done.stdout)
                self.assertEqual(calls, {"local": 0, "remote": int(executions[1])})
                server.end()

    def test_what_a_device_does_not_know_is_computed_locally(self):
        server = self.serve("--device", "sim", "--only-device")  # has no QR, no eigenvalues
        done, calls = self.run_at(server.address, LAPACK_CALLER)
        self.assertRegex(done.stdout, r"^\d+ tests, 0 wrong\n$")
        self.assertGreater(calls["local"], 50)
        self.assertGreater(calls["remote"], 50)
        server.end()
        server = self.serve("--device", "sim")  # the processors of the server help out
        done, calls = self.run_at(server.address, LAPACK_CALLER)
        self.assertRegex(done.stdout, r"^\d+ tests, 0 wrong\n$")
        self.assertEqual(calls["local"], 4)  # getri of what has no inverse

    def test_what_opencl_does_not_know_the_processors_of_its_server_compute(self):
        """QR, eigenvalues and singular values; LU and Cholesky are computed by OpenCL itself."""
        try:
            server = self.serve("--device", "opencl")
        except RuntimeError:
            self.skipTest("this build or this machine has no OpenCL")
        done, calls = self.run_at(server.address, LAPACK_CALLER)
        self.assertRegex(done.stdout, r"^\d+ tests, 0 wrong\n$")
        self.assertEqual(calls["local"], 4, done.stderr)  # getri of what has no inverse
        found = {one["routine"] for one in json.loads((self.folder / "report.json").read_text())["routines"]
                 if one["place"] == "remote"}
        self.assertLessEqual({"dgetrf", "zpotrf", "dgeqrf", "zunmqr", "dsyev", "zheevd", "dgesdd", "zgeev"}, found)
        server.end()

    def test_what_has_no_room_as_a_whole_goes_in_pieces(self):
        """Operands, factors and transforms larger than the memory of the device."""
        for device in ("host", "sim"):
            for program, memory, routines in ((LEVEL3_CALLER, "40K", {"dgemm", "dtrsm", "dtrmm", "dsyrk", "dsymm", "zherk"}),
                                              (LAPACK_CALLER, "128K", {"dgetrf", "dpotrf", "dtrsm", "dgemm", "dsyrk", "zherk"}),
                                              (FFTW_CALLER, "8K", {"fftw_c2c", "fftw_r2c", "fftw_c2r", "fftw_r2r"})):
                if not program:
                    continue
                with self.subTest(device=device, program=program):
                    server = self.serve("--device", device, "--client-memory", memory, name=f"{device}{memory}")
                    done, _ = self.run_at(server.address, program, "large")
                    self.assertRegex(done.stdout, r", 0 wrong\n$")
                    found = json.loads((self.folder / "report.json").read_text())["routines"]
                    there = {one["routine"] for one in found if one["place"] == "remote"}
                    self.assertLessEqual(routines, there)
                    if program == FFTW_CALLER:
                        self.assertEqual({one["place"] for one in found}, {"remote"})
                    server.end()

    def test_a_transform_in_two_passes_moves_its_bytes_twice(self):
        if not FFTW_CALLER:
            self.skipTest("this machine has no libfftw3-dev")
        moved = []
        for memory in ("1M", "8K"):
            server = self.serve("--device", "sim", "--client-memory", memory, name=memory)
            self.run_at(server.address, FFTW_CALLER, "large")
            found = json.loads((self.folder / "report.json").read_text())["routines"]
            moved.append(sum(one["bytes"] for one in found))
            server.end()
        self.assertLess(moved[1] / moved[0], 2.2)
        self.assertGreater(moved[1] / moved[0], 1.5)

    def test_check_mode_compares_every_call_of_the_device(self):
        server = self.serve("--device", "host")
        for program in filter(None, (CALLER, LAPACK_CALLER, FFTW_CALLER, VECTORS_CALLER)):
            report = self.folder / "report.json"
            done = self.offload("run", "--server", server.address, "--place", "remote", "--check", "--report", report,
                                "--", program)
            self.assertRegex(done.stdout, r"\b0 wrong\n$")
            self.assertNotIn("is wrong", done.stderr)
            found = json.loads(report.read_text())
            self.assertEqual(sum(one["wrong"] for one in found["checks"]), 0, found["checks"])
            self.assertEqual(sum(one["calls"] for one in found["checks"]),
                             sum(one["calls"] for one in found["routines"] if one["place"] == "remote"))

    def test_a_matrix_is_sent_once_and_a_result_not_at_all(self):
        self.need_numpy()
        program = """
import ctypes, ctypes.util, numpy
its_own, n = ctypes.CDLL(ctypes.util.find_library("lapack")), 300
lapack = ctypes.CDLL(None)  # names asked of a library by its handle would not reach ours
byref, at = ctypes.byref, lambda array: array.ctypes.data_as(ctypes.c_void_p)
integer = lambda value: byref(ctypes.c_int(value))
random = numpy.random.default_rng(5)
a = numpy.asfortranarray(random.standard_normal((n, n)))
factors, pivots, info = a.copy(order="F"), numpy.zeros(n, numpy.int32), ctypes.c_int(-1)
lapack.dgetrf_(integer(n), integer(n), at(factors), integer(n), at(pivots), byref(info))
worst = 0
for k in range(20):
    b = random.standard_normal(n)
    x = b.copy()
    lapack.dgetrs_(b"N", integer(n), integer(1), at(factors), integer(n), at(pivots), at(x), integer(n), byref(info),
                   ctypes.c_size_t(1))
    worst = max(worst, numpy.abs(a @ x - b).max())
print(worst < 1e-9)
product = a
for k in range(4):
    product = product @ a / n
print(numpy.abs(product - numpy.linalg.multi_dot([a] * 5) / n**4).max() < 1e-9)
"""
        server = self.serve("--device", "host")
        done, _ = self.run_at(server.address, sys.executable, "-c", program)
        self.assertEqual(done.stdout, "True\nTrue\n")
        rows = json.loads((self.folder / "report.json").read_text())["routines"]
        moved = {name: sum(one["bytes"] for one in rows if one["routine"] == name and one["place"] == "remote")
                 for name in ("dgetrf", "dgetrs")}
        matrix, column = 8 * 300**2, 8 * 300
        self.assertEqual(moved["dgetrf"], 2 * matrix)
        self.assertLess(moved["dgetrs"], 0.1 * matrix + 20 * 2 * column)  # the factors are there already

    def test_the_report_tells_where_the_time_went_and_why(self):
        self.need_numpy()
        steps = ("to_server", "to_device", "plan", "compute", "from_device", "from_server")
        twice = PRODUCT.replace("500", "150") + "print(numpy.abs(a @ b - exact).max() < 1e-10)"
        for device in ("host", "sim"):
            server = self.serve("--device", device, name=device)
            done, _ = self.run_at(server.address, sys.executable, "-c", twice)
            rows = json.loads((self.folder / "report.json").read_text())["routines"]
            self.assertEqual({(one["routine"], one["place"], one["why"], one["shape"]) for one in rows},
                             {("dgemm", "remote", "asked", "150 x 150 x 150")})
            row = {key: sum(one[key] for one in rows) for key in ("calls", "kept", "kept_bytes", "bytes", "compared", *steps)}
            self.assertEqual(row["calls"], 3)
            self.assertGreater(row["kept"], 0)  # operands of the third product
            self.assertGreaterEqual(row["kept_bytes"], 2 * 8 * 150**2)
            for step in ("to_server", "plan", "compute", "from_server"):
                self.assertGreater(row[step], 0, step)
            self.assertEqual(row["compared"], 0)
            self.assertRegex(done.stderr, r"routine +place +calls +seconds +moved +Gflop/s +kept +saved")
            if device == "sim":  # whose memory is not that of the server
                self.assertGreater(min(row["to_device"], row["from_device"]), 0)
            server.end()
        shown = self.offload("run", "--json", "--server", f"unix:{self.folder}/nobody", "--place", "remote", "--",
                             sys.executable, "-c", PRODUCT).stderr
        said = json.loads(shown[shown.index("{"):])
        self.assertEqual({(one["place"], one["why"]) for one in said["routines"]}, {("local", "no server")})
        page = self.folder / "report.html"
        run_program([BLOCKYARD, "report", self.folder / "report.json"])
        text = page.read_text()
        for words in ("<h2>Where the time goes</h2>", "<td>150 x 150 x 150", "<td>asked</td>", "from server"):
            self.assertIn(words, text)

    def test_deterministic_mode_goes_by_what_was_measured_beforehand(self):
        self.need_numpy()
        server = self.serve("--device", "host")
        cache = {"XDG_CACHE_HOME": str(self.folder)}

        def places():
            report = self.folder / "report.json"
            done = run_program([BLOCKYARD, "offload", "run", "--server", server.address, "--deterministic", "--report",
                                report, "--", sys.executable, "-c", PRODUCT], env=os.environ | cache)
            self.assertEqual(done.stdout, "True True\n")
            return done.stderr, {(one["routine"], one["place"], one["shape"]): (one["calls"], one["why"])
                                 for one in json.loads(report.read_text())["routines"]}

        told, before = places()
        self.assertIn("offload calibrate", told)
        self.assertFalse([place for _, place, _ in before if place == "remote"])
        self.assertEqual({why for _, why in before.values()}, {"not measured"})
        done = run_program([BLOCKYARD, "offload", "calibrate", "--server", server.address, "--json"], env=os.environ | cache)
        measured = json.loads(done.stdout)
        self.assertGreater(measured["up_bytes_a_second"], 0)
        self.assertEqual(list(measured["products"]), ["sgemm", "dgemm", "cgemm", "zgemm"])
        kept = pathlib.Path(measured["file"])
        text = kept.read_text()
        for factor, expected in ((1e6, "remote"), (1e-6, "local")):  # a device that is so much faster, or slower
            kept.write_text(re.sub(r"(?m)^(device_flops_a_second_.) (.*)$", lambda found, factor=factor:
                                   f"{found[1]} {float(found[2]) * factor:g}",
                                   re.sub(r"(?m)^(.*_bytes_a_second|latency_seconds) .*$", lambda found:
                                          f"{found[1]} {1e-9 if 'latency' in found[1] else 1e15}", text)))
            told, found = places()
            self.assertNotIn("offload calibrate", told)
            self.assertEqual({place for _, place, _ in found}, {expected})
            self.assertEqual({why for _, why in found.values()}, {{"remote": "faster", "local": "slower"}[expected]})
            self.assertEqual(found, places()[1])

    def test_nothing_connects_before_a_call_is_worth_it(self):
        server = self.serve()
        _, calls = self.run_at(server.address, CALLER, place="auto")
        self.assertEqual(calls["remote"], 0)

    def test_numpy_computes_on_the_device(self):
        self.need_numpy()
        server = self.serve()
        done, calls = self.run_at(server.address, sys.executable, "-c", PRODUCT)
        self.assertEqual(done.stdout, "True True\n")
        self.assertGreaterEqual(calls["remote"], 2)
        self.assertEqual(calls["local"], 0)

    def test_the_example_prints_its_values_and_what_went_where(self):
        self.need_numpy()
        server = self.serve()
        done, calls = self.run_at(server.address, sys.executable, EXAMPLES / "svd.py", 400)
        self.assertEqual(done.stdout, "largest singular values: 1.000000 0.500000 0.250000 0.125000 0.062500\n")
        self.assertRegex(done.stderr, r"dgemm +remote +\d+")

    def test_the_example_with_fftw_prints_its_error(self):
        self.need_plain_build()
        if not POISSON:
            self.skipTest("this machine has no libfftw3-dev")
        server = self.serve()
        done, calls = self.run_at(server.address, POISSON, 32)
        self.assertEqual(done.stdout, "largest error: below 1e-12\n")
        self.assertEqual(calls, {"local": 0, "remote": 2})

    def test_a_job_computes_on_the_devices_of_a_server(self):
        server = self.serve("--device", "sim")
        found = {}
        for device in ("none", f"remote://{server.address}"):
            path = self.folder / "out.json"
            run_program([BLOCKYARD, "run", JOB, "--device", device, "--json", path, "--quiet"], cwd=self.folder)
            found[device] = json.loads(path.read_text())
            path.unlink()
        here, there = found.values()
        self.assertTrue(here["energies"])
        for name, energy in here["energies"].items():
            self.assertAlmostEqual(energy, there["energies"][name], delta=1e-9, msg=name)
        self.assertGreater(there["devices"][0]["runs"], 0)

    def test_the_exit_code_is_that_of_the_program(self):
        self.need_plain_build()
        self.offload("run", "--quiet", "--", sys.executable, "-c", "import sys; sys.exit(7)", code=7)
        done = self.offload("run", "--quiet", "--", sys.executable, "-c", "import os; os.kill(os.getpid(), 9)", code=137)
        self.assertEqual(done.stderr, "")
        done = self.offload("run", "--", sys.executable, "-c", "import os; os.kill(os.getpid(), 9)", code=137)
        self.assertEqual(done.stderr, "signal 9 ended the program, which left no report\n")
        for program, code, why in (("/nowhere/x", 127, "No such file or directory"), ("/", 126, "Permission denied")):
            done = self.offload("run", "--", program, code=code)
            self.assertEqual(done.stderr, f"error: cannot start {program}: {why}\n")

    def test_what_cannot_work_is_said_before_the_program_starts(self):
        self.need_plain_build()
        server = self.serve()
        started = self.folder / "started"
        for options, code, words in (
                (("--server", ",,"), 2, "this is no address"),
                (("--server", "127.0.0.1:99999"), 1, "its port is not a number up to 65535"),
                (("--server", f"{server.address}#1", "--require"), 1, "has 1 devices, from number 0 on, but no number 1"),
                (("--server", f"{server.address}#x", "--require"), 1, "no server answers"),
                (("--report", "/nowhere/report.json"), 1, "/nowhere/report.json: No such file"),
                (("--report", self.folder), 1, "Is a directory")):
            with self.subTest(options):
                self.assertIn(words, self.offload("run", *options, "--", "touch", started, code=code).stderr)
                self.assertFalse(started.exists())

    def test_a_signal_reaches_the_program(self):
        self.need_plain_build()
        for name in ("SIGTERM", "SIGINT"):
            program = "\n".join(["import signal, sys", f"signal.signal(signal.{name}, lambda *_: sys.exit(9))",
                                 "print('ready', flush=True)", "signal.pause()"])
            with subprocess.Popen([BLOCKYARD, "offload", "run", "--quiet", "--", sys.executable, "-c", program],
                                  stdout=subprocess.PIPE, text=True) as running:
                self.assertEqual(running.stdout.readline(), "ready\n")
                running.send_signal(getattr(signal, name))
                self.assertEqual(running.wait(LIMIT_SECONDS), 9)

    def test_the_server_may_be_named_by_the_environment(self):
        self.need_numpy()
        server = self.serve()
        path = pathlib.Path(server.address.removeprefix("unix:"))  # the program leaves the folder from which one is named
        for name, address in (("BLOCKYARD_OFFLOAD", server.address), ("RCPU_SERVER", f"unix:{path.name}")):
            report = self.folder / f"{name}.json"
            run_program([BLOCKYARD, "offload", "run", "--place", "remote", "--report", report, "--", sys.executable, "-c",
                         "import os; os.chdir('/')\n" + PRODUCT],
                        env=os.environ | {name: address}, cwd=path.parent)
            self.assertEqual({one["place"] for one in json.loads(report.read_text())["routines"]}, {"remote"})

    def test_a_call_reaches_the_library_that_it_would_have_reached(self):
        """What all of a process sees comes before what the caller's object names."""
        self.need_plain_build()
        if not shutil.which("cc"):
            self.skipTest("this machine has no C compiler")
        sources = {"first": "void dgemm_(void) {{ puts(\"first\"); }}", "second": "void dgemm_(void) {{ puts(\"second\"); }}",
                   "caller": "void dgemm_(); void call(void) {{ {} }}"}
        a = "double a[1] = {1}; int n = 0; dgemm_(\"N\", \"N\", &n, &n, &n, a, a, &n, a, &n, a, a, &n);"
        for name, text in sources.items():
            source = self.folder / f"{name}.c"
            source.write_text("#include <stdio.h>\n" + text.format(a))
            needs = (f"-L{self.folder}", f"-Wl,-rpath,{self.folder}", "-lsecond") if name == "caller" else ()
            subprocess.run(["cc", "-shared", "-fPIC", "-o", self.folder / f"lib{name}.so", source, *needs], check=True)
        opened = ("import ctypes", f"ctypes.CDLL('{self.folder}/libfirst.so', ctypes.RTLD_GLOBAL)",
                  f"ctypes.CDLL('{self.folder}/libcaller.so').call()")
        for lines, expected in ((opened, "first\n"), ((opened[0], opened[2]), "second\n")):
            for prefix in ((), (BLOCKYARD, "offload", "run", "--quiet", "--place", "local", "--")):
                done = run_program([*prefix, sys.executable, "-c", "; ".join(lines)])
                self.assertEqual(done.stdout, expected)

    def test_the_libraries_export_their_tables_and_need_no_blas(self):
        self.need_plain_build()
        self.check_exports(LIBRARY, "routines.txt")
        self.check_exports(LIBRARY_REMOTE, "routines.txt", "level1.txt")

    def check_exports(self, library, *tables):
        shown = subprocess.run(["readelf", "--dyn-syms", "--dynamic", "--wide", library], capture_output=True, text=True,
                               check=True).stdout
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", shown))
        self.assertLessEqual({name.split(".so")[0] for name in needed}, {"libc", "libm", "ld-linux-x86-64",
                                                                         "ld-linux-aarch64", "libgcc_s"})
        exported = {line.split()[7].split("@")[0] for line in shown.splitlines()
                    if re.match(r"\s+\d+: ", line) and line.split()[6] != "UND" and line.split()[4] in ("GLOBAL", "WEAK")}
        expected = set()
        for routine, has_c in self.routines(tables):
            expected.add(routine.upper())
            forms = ["{}_", "{}", "{}__", "{}_64_", "{}_64", "scipy_{}_", "scipy_{}_64_"]
            expected |= {form.format(routine) for form in forms}
            routine += "_sub" if routine[:4] in ("cdot", "zdot") else ""
            forms = []
            if has_c:
                forms += ["cblas_{}", "cblas_{}64_", "cblas_{}_64", "scipy_cblas_{}", "scipy_cblas_{}64_"]
            expected |= {form.format(routine) for form in forms}
        for line in (TABLES / "fftw.txt").read_text().splitlines():
            if words := line.split("#")[0].split():
                expected |= {f"fftw_{words[0]}", f"fftwf_{words[0]}"}
                if "guru64" not in words[0]:
                    expected |= {f"{letter}fftw_{words[0]}{end}" for letter in "ds" for end in ("_", "__")}
        self.assertEqual(exported, expected)

    @staticmethod
    def routines(tables):
        """Each with its element type, and whether C has a name for it."""
        for line in "\n".join((TABLES / table).read_text() for table in tables).splitlines():
            words = line.split("#")[0].split()
            for letter in words[1:]:
                if len(letter) == 1:
                    yield letter + words[0].split("=")[0], not any(word.endswith(":info") for word in words)


if __name__ == "__main__":
    unittest.main()
