#!/usr/bin/env python3
"""norn's SARIF by Microsoft's validator, which knows the schema and what code hosts ask: sarif.py BUILD_DIR

Validates what norn check says of the page's bank, what is in others.jsonl (a hazard, a suppressed race, a frame of a
module alone), and a program as it is without debug information. The validator is npm's @microsoft/sarif-multitool, as
package-lock.json pins it: 100 MB, so this is part of make test-long.
"""

import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(os.path.dirname(HERE), "page")
# The schema and SARIF's own rules, and those of GitHub's code scanning. Azure DevOps wants ids of its own pipelines.
RULES = "Sarif;Ghas"
TOOL = "node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool"


def run(command, allowed=(0,)):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode not in allowed:
        sys.exit(f"sarif.py: {' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def validate(name):
    """The lines of the validator that are errors."""
    output = run([TOOL, "validate", "--rule-kind", RULES, name], (0, 1))
    if "1 files scanned" not in output:
        sys.exit(f"sarif.py: the validator did not look at {name}:\n{output}")
    return [line for line in output.splitlines() if ": error " in line]


def main():
    build = os.path.abspath(sys.argv[1])
    norn = os.path.join(build, "bin", "norn")
    if shutil.which("npm") is None:
        sys.exit("sarif.py: no npm; type: tools/install-packages page")
    work = os.path.join(build, "tests", "sarif")
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    os.chdir(work)
    os.environ["NORN_DIR"] = os.path.join(work, ".norn")
    for name in ("package.json", "package-lock.json", "racer.c"):
        shutil.copy(os.path.join(HERE, name), work)
    shutil.copy(os.path.join(PAGE, "bank.cpp"), work)
    run(["npm", "ci", "--no-audit", "--no-fund", "--silent"])
    run([norn + "-c++", "-std=c++20", "-g", "-O1", "-pthread", "bank.cpp", "-o", "bank"])
    run([norn, "check", "--budget=20", "--sarif=bank.sarif", "--", "./bank"], (66,))
    run([norn, "report", "--sarif=others.sarif", os.path.join(PAGE, "others.jsonl")])
    run(["cc", "-pthread", "racer.c", "-o", "plain"])
    run([norn, "run", "--sarif=plain.sarif", "--", "./plain"], (66,))
    failures = [line for name in ("bank", "others", "plain") for line in validate(f"{name}.sarif")]
    # What the validator must notice, or it looks at nothing.
    with open("bank.sarif", encoding="utf-8") as file:
        sarif = json.load(file)
    del sarif["runs"][0]["results"][0]["message"]
    with open("broken.sarif", "w", encoding="utf-8") as file:
        json.dump(sarif, file)
    if not validate("broken.sarif"):
        failures.append("the validator takes a result without a message")
    for line in failures:
        print(line)
    print(f"4 files validated, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
