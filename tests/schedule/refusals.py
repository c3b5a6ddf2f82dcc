#!/usr/bin/env python3
"""What a user may get wrong: each is refused with one line that says what, and status 2.

    refusals.py -o DIRECTORY
"""

import argparse
import pathlib
import re
import sys

from bug import PLAIN_COMPILERS
from building import build
from verbs import IN_ORDER, confirm, entries, norn, run, tokens

MISUSE = 2


def check(what, verb, arguments, directory, pattern):
    done = norn(verb, arguments, directory)
    said = (done.output + done.errors).strip()
    if done.status == MISUSE and "\n" not in said and re.search(pattern, said):
        return []
    return [f"{what}: status {done.status}, not {MISUSE} and a line with /{pattern}/: {said!r}"]


WITHOUT_LINES = """WARNING: ThreadSanitizer: data race (pid=7)
  Write of size 4 at 0x55cd by thread T2:
    #0 count lost-update.c (lost-update+0xd5a)

  Previous write of size 4 at 0x55cd by thread T1:
    #0 count lost-update.c (lost-update+0xd5a)
"""


def near(name):
    """A wrong id that is near the right one."""
    return name[:-1] + ("0" if name[-1] != "0" else "1")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", dest="directory", required=True)
    top = pathlib.Path(parser.parse_args().directory).absolute()
    program = build("bugs/race-lost-update.c", top / "program")
    other = build("bugs/race-torn-pair.c", top / "other")
    rebuilt = build("bugs/race-lost-update.c", top / "rebuilt", flags=["-DREBUILT", "-fno-inline", "-O0"])
    plain = build("bugs/race-lost-update.c", top / "plain", PLAIN_COMPILERS)
    (top / "empty").mkdir(exist_ok=True)
    findings = run([program], top, **IN_ORDER)
    race = "R" + findings.report["races"][0]["id"].removeprefix("R")
    verdicts = entries(confirm(["--all"], [program], top, runs=5, seed=1))
    token = next(token for entry in verdicts for token in tokens(entry))
    changed = token[:-2] + ("AA" if token[-2:] != "AA" else "BB")
    (top / "not-a-report.txt").write_text("hello\n")
    (top / "without-lines.txt").write_text(WITHOUT_LINES)
    (top / "not-a-report.json").write_text("{ \"races\": 3 }\n")

    wrong = []
    for what, verb, arguments, pattern in [
        ("token of another program", "replay", [token, "--", other], "another program or another build"),
        ("token of another build", "replay", [token, "--", rebuilt], "another program or another build"),
        ("garbage token", "replay", ["garbage", "--", program], "garbage.*not a replay token"),
        ("changed token", "replay", [changed, "--", program], "token.*changed"),
        ("token cut off", "replay", [token[:-1], "--", program], "token.*cut off"),
        ("token of another version", "replay", ["n1" + token[2:], "--", program], "version"),
        ("empty token", "replay", ["", "--", program], "token|TOKEN"),
        ("replay without a token", "replay", ["--", program], "norn replay TOKEN"),
        ("replay without a program", "replay", [token], "norn replay TOKEN"),
        ("unknown race", "confirm", [near(race), "--", program], f"{race}"),
        ("race that is none", "confirm", ["Rzzzz", "--", program], "Rzzzz"),
        ("no program", "confirm", ["--all"], "which program"),
        ("missing program", "confirm", ["--all", "--", "./missing"], "missing"),
        ("missing program of replay", "replay", [token, "--", "./missing"], "missing"),
        ("missing program of check", "check", ["--", "./missing"], "missing"),
        ("not instrumented", "confirm", ["--all", "--", plain], "norn-cc"),
        ("not instrumented, check", "check", ["--", plain], "norn-cc"),
        ("not instrumented, replay", "replay", [token, "--", plain], "norn-cc|another program"),
        ("no runs", "confirm", ["--all", "--runs=0", "--", program], "runs"),
        ("negative runs", "confirm", ["--all", "--runs=-3", "--", program], "runs"),
        ("runs that are no number", "confirm", ["--all", "--runs=many", "--", program], "runs"),
        ("no jobs", "confirm", ["--all", "--jobs=0", "--", program], "jobs"),
        ("unknown strategy", "confirm", ["--all", "--strategy=radnom", "--", program], "random"),
        ("unknown option", "confirm", ["--all", "--run=3", "--", program], "runs"),
        ("nothing to confirm", "confirm", ["--", program], "what to confirm|--all"),
        ("race and all", "confirm", [race, "--all", "--", program], "one of"),
        ("missing report", "confirm", ["--all", "--from=missing.json", "--", program], "missing.json"),
        ("text that is no report", "confirm", ["--all", "--from=not-a-report.txt", "--", program], "not-a-report.txt"),
        ("races without lines", "confirm", ["--all", "--from=without-lines.txt", "--", program], "without-lines.txt.*lines"),
        ("JSON that is no report", "confirm", ["--all", "--from=not-a-report.json", "--", program], "not-a-report.json"),
    ]:
        wrong += check(what, verb, arguments, top, pattern)
    wrong += check("no run before", "confirm", ["--all", "--", program], top / "empty", "norn run")
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
