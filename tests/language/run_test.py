#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runner must see what is wrong: an expectation that cannot fail tests nothing."""

import subprocess
import types
import unittest

import run


def expectations_of(source):
    found = run.Expectations()
    for number, line in enumerate(source.splitlines(), 1):
        comment, has_code = run.comment_of(line)
        if comment.startswith("run:"):
            run.read_options(found, comment[4:].split())
        elif comment.startswith("expect"):
            run.read_expect(found, comment, number, has_code)
    return found


def judge(source, stdout="", stderr="", code=0):
    done = types.SimpleNamespace(returncode=code, stdout=stdout, stderr=stderr)
    return run.judge_run("p.sial", expectations_of(source), done)


class Runner(unittest.TestCase):
    def test_accepts_what_is_expected(self):
        self.assertIsNone(judge("print x # expect: x = 6", "3:  x = 6.00000000000001\n"))
        self.assertIsNone(judge("print x # expect 2 times: x = 6", "3:  x = 6\n\n3:  x = 6.0\n"))
        self.assertIsNone(judge("# expect block a[1]: 1 2 | 3 4",
                                "5:  printing 4 of 4 elements of block a[1] in the order stored in "
                                "memory\n1 2\n3 4\n"))

    def test_refuses_another_number(self):
        self.assertIn("not printed", judge("print x # expect: x = 6", "3:  x = 6.00001\n"))

    def test_refuses_a_line_too_many_or_too_few(self):
        self.assertIn("not expected", judge("print x # expect: x = 6", "3:  x = 6\n3:  x = 6\n"))
        self.assertIn("not printed", judge("print x # expect 2 times: x = 6", "3:  x = 6\n"))
        self.assertIn("not expected", judge("print x", "3:  x = 6\n"))

    def test_looks_at_the_order_only_when_told(self):
        source = "a # expect: 1\nb # expect: 2\n"
        self.assertIsNone(judge(source, "2\n1\n"))
        self.assertIn("in order", judge("sial p # run: ordered\n" + source, "2\n1\n"))

    def test_wants_the_exit_code_and_the_place_of_an_error(self):
        source = "x = n/0 # expect run error: divided by zero"
        self.assertIsNone(judge(source, stderr="error: p.sial:1: divided by zero", code=1))
        self.assertIn("exit code", judge(source, stderr="error: p.sial:1: divided by zero"))
        self.assertIn("line 1", judge(source, stderr="error: p.sial:2: divided by zero", code=1))
        self.assertIn("no error", judge(source, stderr="error: p.sial:1: lost", code=1))
        self.assertIn("exit code", judge("print x # expect: x = 1", "1:  x = 1\n", code=1))

    def test_wants_each_diagnostic_on_its_line_and_no_other(self):
        found = expectations_of("x = 1 # expect error: must be a scalar")
        entry = ('{"severity": "error", "file": "p.sial", "line": %d, "message": "x must be a '
                 'scalar", "hint": ""}')

        def judged(text, code=1):
            done = subprocess.CompletedProcess([], code, '{"diagnostics": [' + text + "]}", "")
            return run.judge_diagnostics("p.sial", found, done)

        self.assertIsNone(judged(entry % 1))
        self.assertIn("no error", judged(entry % 2))
        self.assertIn("not expected", judged(entry % 1 + "," + entry % 2))
        self.assertIn("exit code", judged(entry % 1, code=0))

    def test_reads_no_comment_inside_of_a_text(self):
        self.assertEqual(run.comment_of('print "# expect: no" # expect: yes')[0], "expect: yes")

    def test_runs_every_combination(self):
        options = expectations_of("sial p # run: workers=1,3 servers=1,2 set=n:2").options
        self.assertEqual(len(list(run.commands("by", ["p.sial"], options))), 4)

    def test_does_not_pass_over_a_word_that_it_does_not_know(self):
        with self.assertRaises(SystemExit):
            expectations_of("sial p # run: wokers=3")
        with self.assertRaises(SystemExit):
            expectations_of("x # expected: 3")


if __name__ == "__main__":
    unittest.main()
