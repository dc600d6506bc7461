# SPDX-License-Identifier: Apache-2.0
"""The page of a run with more ranks than it can show one by one: the report of a small run, with other ranks."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import chromium

BLOCKYARD = os.environ["BLOCKYARD"]
LIMIT_SECONDS = 300
PROGRAM = "sial p\naoindex i = 1:2\ndistributed d[i]\npardo i\n  put d[i] = 1.0\nendpardo i\nendsial p\n"


@unittest.skipUnless(chromium.PATH, "SKIPPED: no chromium here")
class ManyRanks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "p.sial").write_text(PROGRAM)
        cls.run_blockyard("run", "p.sial", "--segments", "ao=2,2", "-w", "1", "--quiet", "--report", "p.json")
        cls.report = json.loads((cls.folder / "p.json").read_text())
        cls.browser = chromium.Browser()
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def run_blockyard(cls, *arguments):
        subprocess.run([BLOCKYARD, *arguments], check=True, timeout=LIMIT_SECONDS, cwd=cls.folder)

    def moved(self, processes, workers, **metrics):
        """Headings and cells of the table of bytes moved, if each process had a server and each worker these metrics."""
        def ranks(role, count):
            return [{"role": role, "number": k, "process": k if processes > 1 else 0, "budget_bytes": 1,
                     "memory_purposes": [], "memory": []} for k in range(count)]
        worker = {key: value for key, value in self.report["programs"][0]["workers"][0].items()
                  if not key.startswith(("bytes_from_", "bytes_to_"))}
        where = {**self.report["where"], "processes": processes, "workers": workers, "servers": processes}
        changed = {**self.report, "where": where, "servers": self.report["servers"] * processes,
                   "ranks": ranks("worker", workers) + ranks("server", processes),
                   "programs": [{"name": "p", "seconds": 1, "workers": [{**worker, **metrics}] * workers}]}
        (self.folder / "many.json").write_text(json.dumps(changed))
        self.run_blockyard("report", "many.json")
        self.browser.open(self.folder / "many.html")
        self.assertEqual(self.browser.problems, [])
        head = self.browser.value("[...document.querySelectorAll('#moved thead th')].map(cell => cell.textContent)")
        rows = self.browser.value("[...document.querySelectorAll('#moved tbody tr')]"
                                  ".map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))")
        self.assertEqual({len(row) for row in rows}, {len(rows)})
        return head[1:], rows

    def test_processes_in_groups_of_three(self):
        head, rows = self.moved(130, 130, bytes_from_processes=[1] * 44, bytes_to_processes=[0] * 43 + [8])
        self.assertEqual([head[0], head[43]], ["processes 0 to 2", "process 129"])
        self.assertEqual([rows[0][0], rows[0][43], rows[43][0], rows[43][43]], ["3 B", "25 B", "3 B", "9 B"])

    def test_processes_that_have_bytes_by_server(self):
        head, rows = self.moved(3, 3, bytes_from_servers=[1, 2, 3], bytes_to_servers=[0, 0, 0])
        self.assertEqual(head, ["process 0", "process 1", "process 2"])
        self.assertEqual(rows, [["1 B"] * 3, ["2 B"] * 3, ["3 B"] * 3])

    def test_workers_of_one_process(self):
        head, rows = self.moved(1, 130, bytes_from_servers=[1], bytes_to_servers=[0])
        self.assertEqual([head[0], head[43], head[44]], ["workers 0 to 2", "worker 129", "server 0"])
        self.assertEqual((rows[44][0], rows[44][43], len(rows)), ("3 B", "1 B", 45))


if __name__ == "__main__":
    unittest.main()
