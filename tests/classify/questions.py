#!/usr/bin/env python3
"""What else norn classify can be asked: predicates, invariants of the program, a judge of its output, what if a lock did
nothing; and what it says of races that are none. By the programs in questions/, whose lines have labels as those of programs/ have.

    questions.py --bin=build/bin
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PROGRAMS = pathlib.Path(__file__).resolve().parent / "questions"


def line_of(program, label):
    text = (PROGRAMS / program).read_text().splitlines()
    return next(number for number, line in enumerate(text, 1) if re.search(rf"// @{label}\b", line))


class Questions(unittest.TestCase):
    bin = None

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.directory = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def call(self, *command):
        environment = dict(os.environ, NORN_DIR=str(self.directory / ".norn"))
        environment.pop("NORN_OPTIONS", None)
        return subprocess.run([str(self.bin / command[0]), *command[1:]], cwd=self.directory, env=environment,
                              capture_output=True, text=True, errors="replace", timeout=300, stdin=subprocess.DEVNULL)

    def build(self, source, *options):
        done = self.call("norn-cc", "-g", "-O0", "-pthread", *options, str(PROGRAMS / source), "-o", "program")
        self.assertEqual(done.returncode, 0, done.stderr)

    def race(self, source, one, other):
        """The race of the lines with these labels, as ThreadSanitizer would tell it."""
        frames = [f"    #0 f {source}:{line_of(source, label)}:1 (p+0x1)\n\n" for label in (one, other)]
        (self.directory / "races.tsan").write_text(
            "WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 4 at 0x1 by thread T1:\n" + frames[0] +
            "  Previous write of size 4 at 0x1 by thread T2:\n" + frames[1])

    def classify(self, *options):
        return self.call("norn", "classify", "--all", "--from=races.tsan", "--json=classes.json", *options, "--",
                         "./program")

    def classes(self):
        return json.loads((self.directory / "classes.json").read_text())["classify"]

    def expect_violation(self, done, words):
        self.assertEqual(done.returncode, 66, done.stderr + done.stdout)
        race, = self.classes()
        self.assertEqual((race["class"], race["consequence"]), ("spec-violated", "predicate"), race)
        self.assertIn(words, race["detail"])
        return race["evidence"]

    def test_an_invariant_of_the_program(self):
        self.build("seats.c", "-DSAYS_SO")
        self.race("seats.c", "look", "sell")
        token = self.expect_violation(self.classify(), "never_fewer_than_none: seats >= 0 does not hold any more")
        done = self.call("norn", "replay", token, "--", "./program")
        self.assertIn("replayed identically", done.stderr)
        self.assertIn("never_fewer_than_none: seats >= 0 does not hold any more: thread ", done.stderr)

    def test_a_program_with_invariants_runs_without_norn(self):
        done = subprocess.run(["cc", f"-I{PROGRAMS.parents[2] / 'include'}", "-DSAYS_SO", "-pthread",
                               str(PROGRAMS / "seats.c"), "-o", str(self.directory / "plain")], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(subprocess.run([str(self.directory / "plain")], capture_output=True).stdout, b"full\n")

    def test_a_predicate(self):
        self.build("seats.c")
        self.race("seats.c", "look", "sell")
        self.assertEqual(self.classify().returncode, 0)
        self.assertEqual(self.classes()[0]["class"], "k-witness-harmless")
        token = self.expect_violation(self.classify("--predicate=seats >= 0"), "seats >= 0 does not hold any more")
        for _ in range(3):
            done = self.call("norn", "replay", token, "--", "./program")
            self.assertIn("seats >= 0 does not hold any more: thread ", done.stderr)
            self.assertIn("replayed identically", done.stderr)

    def test_predicates_are_typed_by_debug_information(self):
        self.build("seats.c")
        self.race("seats.c", "look", "sell")
        for expression in ("rows->next->free[2] == 1", "rows->letter == 'a' && rows->next->letter != 'a'",
                           "rows->next->next == 0", "counted > 4294967296", "counted == 1ull << 40", "rows->sold < 1",
                           "main::rounds == 3", "(rows == 0 || rows == &first) && sizeof(last) > 16",
                           "*(short *)&rows->free[1] + 1 == 10"):
            done = self.classify(f"--predicate={expression}")
            self.assertEqual((done.returncode, done.stderr), (0, ""), expression)

    def test_a_wrong_predicate_is_one_line(self):
        self.build("seats.c")
        self.race("seats.c", "look", "sell")
        for expression, words in (("seat > 0", 'No symbol "seat" in current context.'),
                                  ("rows->colour == 1", "colour"), ("seats >", "syntax error"),
                                  ("share > 0", "double"), ("one > 0", "only globals can be looked at"),
                                  ("seats > 100", "it never holds in a run"), ("seats = 5", "assign"),
                                  ("seats > 0", "without any race: seats > 0 does not hold any more")):
            done = self.classify(f"--predicate={expression}")
            self.assertEqual((done.returncode, done.stdout), (2, ""), expression)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_a_judge_of_the_output(self):
        self.build("accounts.c")
        self.race("accounts.c", "statistics", "account")
        done = self.classify("--judge=grep -q 'left -'")
        self.assertEqual(done.returncode, 2)
        self.assertIn("without any race: the judge \"grep -q 'left -'\" rejects the output: status 1", done.stderr)
        self.build("seats.c")
        self.race("seats.c", "look", "sell")
        self.assertEqual(self.classify("--judge=grep -q full").returncode, 0)
        self.assertEqual(self.classes()[0]["class"], "k-witness-harmless")

    def test_what_if_a_lock_did_nothing(self):
        self.build("accounts.c")
        place = f"accounts.c:{line_of('accounts.c', 'account')}"
        done = self.call("norn", "classify", f"--what-if={place}", "--json=what.json", "--", "./program")
        self.assertEqual(done.returncode, 66, done.stderr + done.stdout)
        self.assertIn(f"norn: what if {place} did nothing: ", done.stdout)
        answer, = json.loads((self.directory / "what.json").read_text())["what_if"]
        self.assertEqual(answer["place"], place)
        worst = answer["classify"][0]
        self.assertEqual((worst["class"], worst["consequence"]), ("spec-violated", "assertion"))
        done = self.call("norn", "replay", worst["evidence"], "--", "./program")
        self.assertIn("Assertion", done.stderr)

    def test_which_locks_of_a_function_can_go(self):
        self.build("accounts.c")
        done = self.call("norn", "classify", "--what-if=withdraw", "--fail-on=none", "--", "./program")
        self.assertEqual(done.returncode, 0, done.stderr)
        ranked = done.stdout[done.stdout.index("norn: the locks of withdraw"):].splitlines()[1:4]
        order = [line.split()[0] for line in ranked]
        self.assertEqual(order, [f"accounts.c:{line_of('accounts.c', label)}" for label in ("own", "statistics", "account")])
        self.assertIn("no race follows", ranked[0])
        self.assertIn("k-witness-harmless", ranked[1])
        self.assertIn("spec-violated", ranked[2])

    def test_what_a_detector_that_knows_no_locks_reports_has_a_single_order(self):
        self.build("accounts.c")
        done = self.call("norn", "run", "--lib=off", "--fail-on=none", "--json=run.json", "--", "./program")
        reported = json.loads((self.directory / "run.json").read_text())["races"]
        self.assertGreater(len(reported), 1, done.stderr)
        done = self.call("norn", "classify", "--all", "--json=classes.json", "--", "./program")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([race["class"] for race in self.classes()], ["single-ordering"] * len(reported))

    def test_wrong_what_ifs_are_one_line(self):
        self.build("accounts.c")
        for what_if, words in (("accounts.c:1", "no lock is taken and no barrier waited at there"),
                               ("nowhere", "no function of that name takes a lock"), ("a,b", "it takes FILE:LINE")):
            done = self.call("norn", "classify", f"--what-if={what_if}", "--", "./program")
            self.assertEqual((done.returncode, done.stdout), (2, ""), what_if)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    arguments, others = parser.parse_known_args()
    Questions.bin = pathlib.Path(arguments.bin).absolute()
    unittest.main(argv=["questions.py", *others])
