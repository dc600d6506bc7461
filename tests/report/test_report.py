# SPDX-License-Identifier: Apache-2.0
"""`--report`, `--trace`, `blockyard report` and `blockyard compare`, and the page in a browser."""

import gzip
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

import chromium

sys.path.append(str(pathlib.Path(__file__).parents[1] / "jobs"))
import common  # noqa: E402

BLOCKYARD = common.BLOCKYARD
LIMIT_SECONDS = 300
WATER = 'title = "water <in> a </script> report"' + common.WATER + '[basis]\nname = "sto-3g"\n[method]\nname = "mp2"\n'
# Blocks of half a MB, together 52 MB: more than the server may hold, so that some go to the disk.
SPILLS, SEGMENTS, _ = common.served_squares(10, 256)


# Runs until it is stopped.
LONG = common.program("long", __file__)


def run(*arguments, code=0, folder=None, before=()):
    done = subprocess.run([*before, BLOCKYARD, *map(str, arguments)], capture_output=True, text=True,
                          timeout=LIMIT_SECONDS, cwd=folder)
    if done.returncode != code:
        raise AssertionError(f"{arguments}: exit {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}")
    return done


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls._folder.name)
        cls.addClassCleanup(cls._folder.cleanup)
        (cls.folder / "water.toml").write_text(WATER)
        (cls.folder / "spills.sial").write_text(SPILLS)
        run("run", "water.toml", "-w", 2, "--quiet", "--report", "water.json", "--trace", "water.json.gz",
            folder=cls.folder)
        (cls.folder / "states.toml").write_text(WATER.replace('"mp2"', '"eom-ccsd"\noscillator_strengths = true\nroots = 2'))
        run("run", "states.toml", "-w", 2, "--quiet", "--report", "states.json", folder=cls.folder)
        run("run", "spills.sial", *SEGMENTS, "-w", 2, "--memory", "24M",
            "--pardo", "dynamic", "--quiet", "--report", "spills.json", "--trace", "spills.trace.json.gz", folder=cls.folder)
        cls.water = json.loads((cls.folder / "water.json").read_text())
        cls.states = json.loads((cls.folder / "states.json").read_text())
        cls.spills = json.loads((cls.folder / "spills.json").read_text())
        run("report", "water.json", folder=cls.folder)
        run("report", "states.json", folder=cls.folder)
        run("report", "spills.json", "-o", "spills.html", folder=cls.folder)


class Report(Runs):
    def test_times_of_lines_are_within_the_time_of_the_program(self):
        for name in ("water", "spills"):
            for program in getattr(self, name)["programs"]:
                for worker in program["workers"]:
                    lines = worker["line_times"]
                    self.assertTrue(lines, program["name"])
                    self.assertLessEqual(sum(line["seconds"] for line in lines), worker["seconds"])
                    waits = sum(line["block_wait_seconds"] for line in lines)
                    self.assertLessEqual(waits, worker["block_wait_seconds"] + 1e-9)
                    for line in lines:
                        self.assertGreater(line["times"], 0)
                        self.assertLessEqual(line["block_wait_seconds"] + line["barrier_wait_seconds"]
                                             + line["put_wait_seconds"], line["seconds"] + 1e-6)

    def test_pardos_count_every_iteration_once(self):
        workers = self.spills["programs"][0]["workers"]
        places = {pardo["place"] for worker in workers for pardo in worker["pardos"]}
        self.assertEqual({place.split(":")[-1] for place in places}, {"9", "14"})
        for place in places:
            mine = [pardo for worker in workers for pardo in worker["pardos"] if pardo["place"] == place]
            self.assertEqual(sum(pardo["iterations"] for pardo in mine), 100)
            self.assertEqual({pardo["policy"] for pardo in mine}, {"dynamic"})

    def test_disk_waits_are_part_of_the_block_waits(self):
        server = self.spills["servers"][0]
        self.assertGreater(server["spilled_bytes"], 0)
        workers = self.spills["programs"][0]["workers"]
        for worker in workers:
            self.assertLessEqual(worker["disk_wait_seconds"], worker["block_wait_seconds"] + 1e-6)
        self.assertGreater(sum(worker["disk_wait_seconds"] for worker in workers), 0)

    def test_bytes_between_ranks_agree_with_what_servers_say(self):
        for report in (self.water, self.spills):
            for k, server in enumerate(report["servers"]):
                fetched = sum(worker["bytes_from_servers"][k] for program in report["programs"]
                              for worker in program["workers"])
                self.assertEqual(fetched, server["bytes_sent"])

    def test_memory_over_time_stays_within_the_budget(self):
        roles = []
        for rank in self.spills["ranks"]:
            roles.append(rank["role"])
            self.assertTrue(rank["memory"])
            times = [row[0] for row in rank["memory"]]
            self.assertEqual(times, sorted(times))
            for row in rank["memory"]:
                self.assertEqual(len(row), 1 + len(rank["memory_purposes"]))
                self.assertLessEqual(sum(row[1:]), rank["budget_bytes"])
                self.assertGreaterEqual(min(row[1:]), 0)
        self.assertEqual(roles, ["worker", "worker", "server"])

    def test_decisions_say_why_and_sources_are_there(self):
        whats = {decision["what"] for decision in self.water["decisions"]}
        self.assertLessEqual({"workers", "memory of a process", "segments of ao", "look-ahead", "placement of blocks"}, whats)
        for decision in self.water["decisions"]:
            self.assertTrue(decision["choice"] and decision["reason"], decision)
        self.assertEqual(self.spills["sources"], {"spills.sial": SPILLS})
        self.assertEqual([energy["key"] for energy in self.water["energies"]][-1], "mp2")

    def test_iterations_and_states_of_a_method_are_there(self):
        self.assertNotIn("iterations", self.spills)
        titles = [table["title"].split(":")[0] for table in self.states["iterations"]]
        self.assertEqual(titles[0], "Restricted Hartree-Fock")
        self.assertIn("Coupled cluster singles and doubles", titles)
        for table in self.states["iterations"]:
            self.assertEqual([row["iteration"] for row in table["rows"]], list(range(1, len(table["rows"]) + 1)))
        errors = [row["error"] for row in self.states["iterations"][0]["rows"]]
        self.assertLess(errors[-1], 1e-8)
        found = {states["key"]: states for states in self.states["excitations"]}
        self.assertEqual(set(found), {"cis", "eom_ccsd"})
        for key in ("hartree", "singles_part", "oscillator", "leading"):
            self.assertEqual(len(found["eom_ccsd"][key]), 2, key)

    def test_a_run_without_a_report_is_the_same_run(self):
        for name in ("plain", "noted"):
            more = ["--report", "again.json", "--trace", "again.json.gz"] if name == "noted" else []
            run("run", "water.toml", "-w", 2, "--quiet", "--deterministic", "--json", name + ".result", *more, folder=self.folder)
        plain, noted = (json.loads((self.folder / (name + ".result")).read_text()) for name in ("plain", "noted"))
        self.assertEqual(plain["energies"], noted["energies"])

    def test_page_of_something_else_is_refused(self):
        (self.folder / "other.json").write_text("{}")
        said = run("report", "other.json", code=1, folder=self.folder).stderr
        self.assertIn("other.json is not what `blockyard run --report` writes", said)
        self.assertFalse((self.folder / "other.html").exists())


class Trace(Runs):
    def events(self, name):
        with gzip.open(self.folder / name) as file:
            return json.load(file)

    def test_time_line_has_each_worker_server_and_disk(self):
        trace = self.events("spills.trace.json.gz")
        tracks = {event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"}
        self.assertLessEqual({"worker 0", "worker 1", "server 0"}, tracks)
        self.assertTrue(any(track.startswith("server 0, disk") for track in tracks), tracks)
        self.assertEqual(trace["otherData"]["joined_events"], "0")
        names = {event["name"] for event in trace["traceEvents"]}
        self.assertIn("put d (spills.sial:11)", names)

    def test_events_are_within_the_run_and_as_many_as_lines_ran(self):
        events = [event for event in self.events("spills.trace.json.gz")["traceEvents"] if event["ph"] == "X"]
        for event in events:
            self.assertGreaterEqual(event["dur"], 0)
            self.assertGreaterEqual(event["ts"], 0)
            self.assertLessEqual(event["ts"] + event["dur"], (self.spills["seconds"] + 1) * 1e6)
        puts = [event for event in events if event["name"] == "put d (spills.sial:11)"]
        self.assertEqual(len(puts), 100)


class Compare(Runs):
    def test_same_run_differs_in_nothing(self):
        self.assertIn("nothing differs", run("compare", "water.json", "water.json", folder=self.folder).stdout)

    def test_what_matters_most_comes_first_and_other_energies_are_told(self):
        other = json.loads((self.folder / "water.json").read_text())
        other["energies"][1]["hartree"] += 1e-3
        other["programs"][0]["workers"][0]["block_wait_seconds"] += 30
        other["programs"][0]["workers"][0]["seconds"] += 30.5
        other["decisions"][0]["choice"] = "7 workers"
        gone = other["decisions"].pop()
        (self.folder / "slow.json").write_text(json.dumps(other))
        said = run("compare", "water.json", "slow.json", code=3, folder=self.folder).stdout
        self.assertIn("THE RESULTS DIFFER", said)
        self.assertIn("workers: 2 workers -> 7 workers", said)
        self.assertIn(f"{gone['what']}: {gone['choice']} -> ?", said)
        found = json.loads(run("compare", "water.json", "slow.json", "--json", code=3, folder=self.folder).stdout)
        first, second, third = found["differences"][:3]
        self.assertEqual(first["what"], "energy " + other["energies"][1]["key"])
        self.assertEqual(second["what"], "waiting for blocks in " + other["programs"][0]["name"])
        self.assertAlmostEqual(second["after"] - second["before"], 30, places=6)
        self.assertTrue(third["what"].startswith("computing in"))


@unittest.skipUnless(os.environ.get("MPIEXEC"), "another test runs over MPI")
class Mpi(unittest.TestCase):
    def test_report_and_time_line_have_the_ranks_of_all_processes(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "water.toml").write_text(WATER)
            run("run", "water.toml", "-w", 2, "--quiet", "--report", "r.json", "--trace", "t.json.gz", folder=folder,
                before=[os.environ["MPIEXEC"], "-n", "2"])
            report = json.loads((folder / "r.json").read_text())
            self.assertEqual([(rank["role"], rank["process"]) for rank in report["ranks"]],
                             [("worker", 0), ("worker", 0), ("worker", 1), ("worker", 1), ("server", 0), ("server", 1)])
            for rank in report["ranks"]:
                self.assertTrue(rank["memory"], rank["role"])
            for program in report["programs"]:
                for worker in program["workers"]:
                    self.assertTrue(worker["line_times"])
                    self.assertEqual(len(worker["bytes_from_servers"]), 2)
            between = sum(program["workers"][k]["bytes_from_servers"][0] for program in report["programs"] for k in (2, 3))
            self.assertGreater(between, 0)
            with gzip.open(folder / "t.json.gz") as file:
                trace = json.load(file)
            self.assertEqual({event["pid"] for event in trace["traceEvents"] if event["ph"] == "X"}, {0, 1})
            run("report", "r.json", folder=folder)
            if chromium.PATH:
                browser = chromium.Browser()
                self.addCleanup(browser.close)
                browser.open(folder / "r.html")
                self.assertEqual(browser.problems, [])
                self.assertEqual(browser.value("document.querySelectorAll('#moved tbody tr').length"), 2)


class Top(unittest.TestCase):
    def test_shows_a_run_that_goes_on_and_forgets_those_that_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "XDG_RUNTIME_DIR": folder}
            pathlib.Path(folder, "long.sial").write_text(LONG)

            def jobs():
                said = subprocess.run([BLOCKYARD, "top", "--once", "--json"], env=environment, check=True,
                                      capture_output=True, text=True, timeout=LIMIT_SECONDS).stdout
                return json.loads(said)["jobs"]

            self.assertEqual(jobs(), [])
            running = subprocess.Popen([BLOCKYARD, "run", "long.sial", "-w", "2", "--segments", "ao=2,2", "--quiet"],
                                       env=environment, cwd=folder, stdout=subprocess.DEVNULL)
            try:
                for _ in range(1000):
                    self.assertIsNone(running.poll())
                    found = jobs()
                    if found and found[0]["workers"][0]["iterations"] > 0:
                        break
                self.assertEqual(found[0]["job"], running.pid)
                self.assertNotIn("starting", [worker["doing"] for worker in found[0]["workers"]])
                self.assertEqual((found[0]["program"], found[0]["processes"], len(found[0]["workers"])), ("long", 1, 2))
                self.assertTrue(found[0]["workers"][0]["place"].startswith("long.sial:"))
                text = subprocess.run([BLOCKYARD, "top", "--once", str(running.pid)], env=environment, check=True,
                                      capture_output=True, text=True, timeout=LIMIT_SECONDS).stdout
                self.assertIn(f"job {running.pid}  long\n  program long (1 of 1) for", text)
                self.assertLessEqual(max(map(len, text.splitlines())), 80, text)
                # Through a pipe, without --once, it ends.
                piped = subprocess.run([BLOCKYARD, "top"], env=environment, check=True, capture_output=True, text=True,
                                       timeout=LIMIT_SECONDS).stdout
                self.assertIn(f"job {running.pid}", piped)
            finally:
                running.terminate()
                running.wait(LIMIT_SECONDS)
            self.assertEqual(jobs(), [])
            stale = pathlib.Path(folder, "blockyard", "1-0")
            with socket.socket(socket.AF_UNIX) as dead:
                dead.bind(str(stale))
            self.assertEqual(jobs(), [])
            self.assertFalse(stale.exists())


@unittest.skipUnless(chromium.PATH, "SKIPPED: no chromium here")
class Page(Runs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = chromium.Browser()
        cls.addClassCleanup(cls.browser.close)

    def test_renders_without_errors_on_desk_and_phone_in_light_and_dark(self):
        for name in ("water", "spills", "states"):
            for width in (1280, 390):
                for dark in (False, True):
                    self.browser.open(self.folder / f"{name}.html", width=width, dark=dark)
                    self.assertEqual(self.browser.problems, [])
                    self.assertGreaterEqual(self.browser.value("document.querySelectorAll('section').length"), 9)
                    self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), width)
        self.assertIn("water <in> a </script> report", self.browser.value("document.title") + WATER)

    def test_shows_states_and_how_a_method_converged(self):
        self.browser.open(self.folder / "states.html")
        cells = "[...document.querySelectorAll('#states-eom_ccsd tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"
        rows = self.browser.value(cells)
        self.assertEqual([row[0] for row in rows], ["1", "2"])
        for row, energy in zip(rows, self.states["excitations"][-1]["hartree"]):
            self.assertAlmostEqual(float(row[1]), energy, places=9)
            self.assertIn("→", row[-1])
        last = self.browser.value("[...document.querySelectorAll('#convergence tbody tr')].map(row => row.cells[2].textContent * 1)")
        self.assertEqual(len(last), len(self.states["iterations"]))
        self.assertLess(max(last), 1e-3)
        self.assertEqual(self.browser.value("document.querySelectorAll('#convergence canvas').length"),
                         1 if self.browser.value("!!window.Chart") else 0)

    def test_needs_no_network(self):
        page = (self.folder / "water.html").read_text()
        self.assertIn("default-src 'none'", page)
        self.browser.open(self.folder / "water.html")
        self.assertEqual(self.browser.value("performance.getEntriesByType('resource').length"), 0)
        self.assertEqual(self.browser.value("document.title"), "water <in> a </script> report – Blockyard run")

    def test_table_sorts_by_heading_with_the_keyboard(self):
        self.browser.open(self.folder / "water.html")
        times = "[...document.querySelectorAll('#lines tbody tr')].map(row => row.cells[8].textContent.replace(/,/g, '') * 1)"
        self.browser.value("document.querySelectorAll('#lines th button')[8].focus()")
        self.browser.press("Enter", text="\r")
        self.assertEqual(self.browser.value("document.querySelectorAll('#lines th')[8].getAttribute('aria-sort')"), "descending")
        down = self.browser.value(times)
        self.assertEqual(down, sorted(down, reverse=True))
        self.browser.press("Enter", text="\r")
        up = self.browser.value(times)
        self.assertEqual(up, sorted(up))
        self.assertNotEqual(up, down)

    def test_lines_lead_to_their_source(self):
        self.browser.open(self.folder / "spills.html")
        links = self.browser.value("[...document.querySelectorAll('#lines tbody a')].map(a => [a.textContent, a.getAttribute('href')])")
        self.assertTrue(links)
        for text, href in links:
            line = SPILLS.splitlines()[int(text.split(":")[1]) - 1]
            self.assertEqual(self.browser.value(f"document.querySelector('{href}').lastChild.textContent"), line)
        self.browser.value("document.querySelector('#lines tbody a').click()")
        self.browser.value("new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))")
        self.assertTrue(self.browser.value("document.querySelector('#sources details').open"))

    def test_loops_of_a_program_that_ran_twice_have_the_time_of_both(self):
        busiest = "[...document.querySelectorAll('#balance tbody tr')].map(row => row.cells[5].textContent)"
        entered = "[...document.querySelectorAll('#balance tbody tr')].map(row => row.cells[3].textContent * 1)"
        self.browser.open(self.folder / "spills.html")
        once, times = self.browser.value(busiest), self.browser.value(entered)
        idle = json.loads(json.dumps(self.spills["programs"]))
        for worker in idle[0]["workers"]:
            for pardo in worker["pardos"]:
                pardo.update(seconds=0, wait_seconds=0)
        (self.folder / "twice.json").write_text(json.dumps({**self.spills, "programs": self.spills["programs"] + idle}))
        run("report", "twice.json", folder=self.folder)
        self.browser.open(self.folder / "twice.html")
        self.assertEqual(self.browser.value(busiest), once)
        self.assertEqual(self.browser.value(entered), [2 * number for number in times])

    def test_time_of_each_super_instruction_is_of_those_on_the_host(self):
        programs = json.loads(json.dumps(self.water["programs"]))
        for program in programs:
            for worker in program["workers"]:
                for use in worker["super_instructions"].values():
                    use.update(calls=4, device_calls=3, seconds=2.0)
        (self.folder / "devices.json").write_text(json.dumps({**self.water, "programs": programs}))
        run("report", "devices.json", folder=self.folder)
        self.browser.open(self.folder / "devices.html")
        rows = self.browser.value("[...document.querySelectorAll('#supers tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")
        self.assertTrue(rows)
        for row in rows:
            self.assertEqual((row[3], 4 * int(row[4])), ("2.00 s", 3 * int(row[1])))

    def test_plots_have_text_and_every_control_a_name(self):
        self.browser.open(self.folder / "water.html")
        self.assertEqual(self.browser.value(
            "[...document.querySelectorAll('canvas')].filter(c => !(c.getAttribute('aria-label') || '').trim()).length"), 0)
        self.assertGreaterEqual(self.browser.value("document.querySelectorAll('canvas').length"),
                                3 if self.browser.value("!!window.Chart") else 0)
        self.assertEqual(self.browser.value(
            "[...document.querySelectorAll('button,a')].filter(n => !n.textContent.trim()).length"), 0)
        self.assertEqual(self.browser.value("document.querySelectorAll('h1').length"), 1)

    def test_contrast_of_text_is_enough_in_light_and_dark(self):
        contrast = """(() => {
          const channel = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
          const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
          const numbers = text => text.match(/[\\d.]+/g).map(Number);
          const worst = {ratio: 99};
          for (const node of document.querySelectorAll('h1,h2,p,td,th,a,button,b,span,caption,summary')) {
            if (!node.textContent.trim() || !node.getClientRects().length) continue;
            let under = node, back = [0, 0, 0, 0];
            const layers = [];
            while (under) { const c = numbers(getComputedStyle(under).backgroundColor); layers.unshift(c.length > 3 ? c : [...c, 1]); under = under.parentElement; }
            back = layers.reduce((under, c) => c.slice(0, 3).map((v, k) => v * c[3] + under[k] * (1 - c[3])), [255, 255, 255]);
            const [a, b] = [light(numbers(getComputedStyle(node).color)), light(back)].sort((x, y) => y - x);
            const ratio = (a + 0.05) / (b + 0.05);
            if (ratio < worst.ratio) Object.assign(worst, {ratio, text: node.textContent.slice(0, 40), name: node.className + ' ' + node.tagName});
          }
          return worst;
        })()"""
        for dark in (False, True):
            self.browser.open(self.folder / "water.html", dark=dark)
            worst = self.browser.value(contrast)
            self.assertGreaterEqual(worst["ratio"], 4.5, worst)

    def test_prints_plots_as_wide_as_paper_in_the_colours_of_paper(self):
        state = """(() => ({widest: Math.max(...[...document.querySelectorAll('canvas')].map(c => c.clientWidth)),
                            colour: getComputedStyle(document.documentElement).getPropertyValue('--soft').trim()}))()"""
        self.browser.open(self.folder / "spills.html")
        light = self.browser.value(state)
        self.browser.open(self.folder / "spills.html", dark=True)
        dark = self.browser.value(state)
        self.assertNotEqual(dark["colour"], light["colour"])
        self.browser.value("dispatchEvent(new Event('beforeprint'))")
        paper = self.browser.value(state)
        self.assertEqual(paper["colour"], light["colour"])
        if self.browser.value("!!window.Chart"):
            self.assertLessEqual(paper["widest"], 940)
            self.assertEqual(self.browser.value("Chart.defaults.color"), light["colour"])
        self.browser.value("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.browser.value(state), dark)
        self.assertTrue(self.browser.pdf().startswith(b"%PDF"))


if __name__ == "__main__":
    unittest.main()
