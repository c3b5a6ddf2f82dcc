#!/usr/bin/env python3
"""The page of norn report --html in a real browser: page.py BUILD_DIR [--screenshots=DIR]

Builds bank.cpp with norn, checks it, writes the page, and lets page_test.mjs drive it in Chromium (Playwright from
npm, as report/web/package-lock.json pins it). Part of make test-long: npm and Chromium are large, and nothing else in
make test needs them.
"""

import argparse
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WEB = os.path.join(os.path.dirname(os.path.dirname(HERE)), "report", "web")


def run(command, directory, allowed=(0,), **environment):
    done = subprocess.run(command, cwd=directory, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode not in allowed:
        sys.exit(f"page.py: {' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--screenshots", default="", help="write them there: docs/images has the README's")
    parser.add_argument("--work", default="", help="where to work (default: in BUILD_DIR/tests)")
    options = parser.parse_args()
    binaries = os.path.join(os.path.abspath(options.build), "bin")
    browser = shutil.which("chromium")
    if shutil.which("npm") is None or browser is None:
        sys.exit("page.py: npm or chromium is missing; type: tools/install-packages page")
    work = os.path.abspath(options.work or os.path.join(options.build, "tests", "page"))
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(os.path.join(WEB, name), work)
    for name in ("bank.cpp", "others.jsonl"):
        shutil.copy(os.path.join(HERE, name), work)
    run(["npm", "ci", "--no-audit", "--no-fund", "--silent"], work)
    run([os.path.join(binaries, "norn-c++"), "-std=c++20", "-g", "-O1", "-pthread", "bank.cpp", "-o", "bank"], work)
    # Races were found: 66.
    run([os.path.join(binaries, "norn"), "check", "--budget=120", "--html=page.html", "--", "./bank"], work, (66,),
        NORN_DIR=work + "/.norn")
    run([os.path.join(binaries, "norn"), "report", "--html=others.html", "others.jsonl"], work)
    screenshots = [os.path.abspath(options.screenshots)] if options.screenshots else []
    print(run(["node", os.path.join(HERE, "page_test.mjs"), "page.html", "others.html", browser, *screenshots], work), end="")


main()
