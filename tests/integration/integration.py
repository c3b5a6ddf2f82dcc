#!/usr/bin/env python3
"""norn in other people's tools, each run as its user would: integration.py BUILD_DIR WORK_DIR [NAME…]

Without names, all of them. A tool that is not here is skipped with a line that says so.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RECIPES = os.path.join(ROOT, "integration")
BUILD, WORK = map(os.path.abspath, sys.argv[1:3])
TESTS = {}


class Skipped(Exception):
    pass


def test(function):
    TESTS[function.__name__] = function
    return function


def run(*command, status=0, **options):
    """Its output. `status`: None for any."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if status is not None and done.returncode != status:
        raise AssertionError(f"{' '.join(command)} ended with {done.returncode}, not {status}:\n{done.stdout}")
    return done.stdout


def needs(*tools):
    for tool in tools:
        if shutil.which(tool) is None:
            raise Skipped(f"{tool} is not here")


def expect(text, *patterns):
    for pattern in patterns:
        if not re.search(pattern, text, re.M):
            raise AssertionError(f"no {pattern} in:\n{text}")


def fresh(name):
    directory = os.path.join(WORK, name)
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    os.environ["NORN_DIR"] = os.path.join(directory, ".norn")
    return directory


def project(name):
    directory = fresh(name)
    return shutil.copytree(os.path.join(HERE, "project"), os.path.join(directory, "project"))


@test
def cmake_toolchain():
    """The toolchain file, and ctest with norn as launcher."""
    source = project("cmake_toolchain")
    binary = os.path.join(source, "build")
    run("cmake", "-S", source, "-B", binary, f"-DCMAKE_TOOLCHAIN_FILE={RECIPES}/cmake/norn-toolchain.cmake",
        "-DCMAKE_CROSSCOMPILING_EMULATOR=norn;run;--")
    run("cmake", "--build", binary)
    output = run("ctest", "--test-dir", binary, "--output-on-failure", "-R", "racy$|fine$", status=8)
    expect(output, r"racy .*Failed", r"fine .*Passed", r"race on balance", r"racy\.c:8")


@test
def cmake_memcheck():
    """ctest -T memcheck with CMake's own type ThreadSanitizer."""
    source = project("cmake_memcheck")
    binary = os.path.join(source, "build")
    run("cmake", "-S", source, "-B", binary, f"-DCMAKE_TOOLCHAIN_FILE={RECIPES}/cmake/norn-toolchain.cmake",
        "-DMEMORYCHECK_TYPE=ThreadSanitizer", "-DCMAKE_CROSSCOMPILING_EMULATOR=norn;run;--format=tsan;--fail-on=none;--")
    run("cmake", "--build", binary)
    output = run("ctest", "-T", "memcheck", "-R", "racy$|fine$", status=None, cwd=binary)
    expect(output, r"data race - 1", r"100% tests passed")
    logs = "".join(open(name, encoding="utf-8").read() for name in glob.glob(f"{binary}/Testing/Temporary/MemoryChecker.*"))
    expect(logs, r"WARNING: ThreadSanitizer: data race \(pid=\d+\)", r"racy\.c:8")


@test
def cmake_presets():
    """The preset, as it is to be copied."""
    source = project("cmake_presets")
    shutil.copy(os.path.join(RECIPES, "cmake", "CMakePresets.json"), source)
    run("cmake", "--preset", "norn", cwd=source)
    run("cmake", "--build", "--preset", "norn", cwd=source)
    expect(run("ctest", "--preset", "norn", "-R", "racy$|fine$", status=8, cwd=source), r"racy .*Failed", r"fine .*Passed")


@test
def cmake_package():
    """make install; then the installed toolchain file and find_package(norn)."""
    directory = os.path.dirname(project("cmake_package"))
    prefix = os.path.join(directory, "prefix")
    run("cmake", "--install", BUILD, "--prefix", prefix)
    source, binary = os.path.join(directory, "project"), os.path.join(directory, "build")
    run("cmake", "-S", source, "-B", binary, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_TOOLCHAIN_FILE={prefix}/lib/cmake/norn/norn-toolchain.cmake", f"-DCMAKE_FIND_ROOT_PATH={prefix}")
    expect(open(os.path.join(binary, "CMakeCache.txt"), encoding="utf-8").read(), rf"NORN_CC:.*={prefix}/bin/norn-cc")
    run("cmake", "--build", binary)
    output = run("ctest", "--test-dir", binary, "--output-on-failure", "-R", "by_norn", status=8)
    expect(output, r"racy_by_norn .*Failed", r"fine_by_norn .*Passed", r"race on balance")
    for page in ("norn.1", "norn-run.1"):
        assert os.path.exists(os.path.join(prefix, "share/man/man1", page)), page


@test
def meson():
    """The native file, and meson test under norn."""
    needs("meson", "ninja")
    source = project("meson")
    run("meson", "setup", "build", "--native-file", os.path.join(RECIPES, "meson", "norn.ini"), cwd=source)
    output = run("meson", "test", "-C", "build", "--wrap", "norn run --", "--print-errorlogs", status=None, cwd=source)
    expect(output, r"racy +FAIL", r"fine +OK", r"race on balance")


@test
def github_action():
    """The Action's steps that are a shell's, in a shell; what its schema asks of it."""
    try:
        import yaml
    except ImportError:
        raise Skipped("python3-yaml is not here") from None
    with open(os.path.join(RECIPES, "github", "action.yml"), encoding="utf-8") as file:
        action = yaml.safe_load(file)
    assert action["runs"]["using"] == "composite" and action["name"] and action["description"]
    for name, given in action["inputs"].items():
        assert set(given) <= {"description", "required", "default"} and given["description"], name
    for step in action["runs"]["steps"]:
        assert ("run" in step) != ("uses" in step), step
        assert "run" not in step or step["shell"] == "bash", step
        for name in re.findall(r"inputs\.(\w+)", str(step)):
            assert name in action["inputs"], name
    directory = os.path.join(os.path.dirname(project("github_action")), "project")
    run("norn-cc", "-g", "-pthread", "racy.c", "-o", "racy", cwd=directory)

    def step(base=""):
        given = {"NORN_COMMAND": "./racy 'an argument'", "NORN_VERB": "run", "NORN_STEP_OPTIONS": "", "NORN_BASE": base,
                 "GITHUB_STEP_SUMMARY": os.path.join(directory, "summary.md")}
        script = action["runs"]["steps"][0]["run"]
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=directory, env={**os.environ, **given},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout
    status, output = step()
    assert status == 66, output
    expect(output, r"^::error file=racy\.c,line=8")
    expect(open(os.path.join(directory, "summary.md"), encoding="utf-8").read(), "balance")
    assert os.path.exists(os.path.join(directory, "norn.sarif")) and os.path.exists(os.path.join(directory, "norn.html"))
    shutil.copy(os.path.join(directory, ".norn", "casebook.db") if "NORN_DIR" not in os.environ
                else os.path.join(os.environ["NORN_DIR"], "casebook.db"), os.path.join(directory, "base.db"))
    status, output = step("base.db")
    assert status == 0, output  # nothing is new


@test
def vscode():
    """The problem matcher's expression on real output."""
    with open(os.path.join(RECIPES, "vscode", "tasks.json"), encoding="utf-8") as file:
        text = re.sub(r"^\s*//.*$", "", file.read(), flags=re.M)  # VS Code's JSON has comments
    pattern = json.loads(text)["tasks"][0]["problemMatcher"]["pattern"]
    directory = os.path.join(os.path.dirname(project("vscode")), "project")
    run("norn-cc", "-g", "-pthread", "racy.c", "-o", "racy", cwd=directory)
    run("norn", "run", "--", "./racy", status=66, cwd=directory)
    found = [re.match(pattern["regexp"], line) for line in run("norn", "report", "--github", cwd=directory).splitlines()]
    problems = [(match[pattern["severity"]], match[pattern["file"]], match[pattern["line"]]) for match in found if match]
    assert ("error", "racy.c", "8") in problems, problems
    assert all(match[pattern["message"]] for match in found if match)


@test
def gdb():
    """The extension: stop at the race, both sides of it."""
    needs("gdb")
    directory = os.path.join(os.path.dirname(project("gdb")), "project")
    run("norn-cc", "-g", "-pthread", "racy.c", "-o", "racy", cwd=directory)
    output = run("gdb", "-q", "-batch", "-nx", "-ex", f"source {RECIPES}/gdb/norn.py", "-ex", "norn break", "-ex", "run",
                 "-ex", "norn race", "-ex", "norn races", "./racy", status=None, cwd=directory)
    expect(output, r"Breakpoint 1, .*__norn_on_report", r"norn: observed race on balance +R[0-9a-f]+",
           r"write, 4 bytes, by thread [23].*: no locks held", r"deposit +racy\.c:8")


@test
def bazel():
    """The recipe's syntax: every line is a command of a .bazelrc with options. Bazel is in neither Debian nor npm."""
    with open(os.path.join(RECIPES, "bazel", "norn.bazelrc"), encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if line and not line.startswith("#")]
    for line in lines:
        assert re.fullmatch(r"(build|test):norn( --[a-z_]+(=('[^']*'|\S+))?)+", line), line
    assert lines


def complete_bash(line):
    words = re.findall(r"=|[^\s=]+", line) + ([""] if line.endswith((" ", "=")) and not line.endswith("=") else [])
    array = " ".join(f"'{word}'" for word in words)
    script = f"source <(norn completion bash); COMP_WORDS=({array}); COMP_CWORD={len(words) - 1}; _norn; " \
             'printf "%s\\n" "${COMPREPLY[@]}"'
    return run("bash", "--norc", "-c", script).split()


@test
def completion_bash():
    fresh("completion_bash")
    assert "run" in complete_bash("norn r") and "replay" in complete_bash("norn r")
    assert complete_bash("norn run --engi") == ["--engine="]
    assert complete_bash("norn run --engine=h") == ["hybrid", "hb"]
    assert "--fail-on=" in complete_bash("norn check --f")
    assert complete_bash("norn completion ") == ["bash", "zsh", "fish"]
    assert complete_bash("norn help conf") == ["confirm"]
    assert os.path.basename(__file__) in complete_bash(f"norn run -- {__file__[:-4]}")[0]


@test
def completion_fish():
    needs("fish")
    fresh("completion_fish")

    def complete(line):
        return run("fish", "--no-config", "-c", f"norn completion fish | source; complete -C '{line}'")
    expect(complete("norn r"), r"^run\t", r"^replay\t")
    expect(complete("norn run --engi"), r"^--engine")
    expect(complete("norn run --engine="), r"hybrid")
    expect(complete("norn help conf"), r"^confirm")


@test
def completion_zsh():
    needs("zsh")
    directory = fresh("completion_zsh")
    with open(os.path.join(directory, "_norn"), "w", encoding="utf-8") as file:
        file.write(run("norn", "completion", "zsh"))
    run("zsh", "-n", os.path.join(directory, "_norn"))
    # A shell of its own on a terminal of its own, which is asked to complete.
    script = f"""
      zmodload zsh/zpty
      zpty shell 'zsh -f -i'
      zpty -w shell 'PS1=; fpath=({directory} $fpath); autoload -U compinit; compinit -u -D; zstyle ":completion:*" list-colors ""; LISTMAX=1000; bindkey "^I" complete-word; setopt auto_list; echo rea""dy'
      zpty -r -m shell line '*ready*'
      zpty -w -n shell $'norn co\\t\\t'
      zpty -r -m shell line '*confirm*'
      zpty -w -n shell $'\\x15norn run --engi\\t'
      zpty -r -m shell line '*--engine=*'
      print completed"""
    expect(run("zsh", "-f", "-c", script, timeout=60, env={**os.environ, "TERM": "dumb"}), "completed")


@test
def manual_pages():
    """Each verb has one, which roff takes; they say what --help says."""
    directory = fresh("manual_pages")
    run("norn", "help", f"--man={directory}")
    verbs = re.findall(r"^  (\w+) +\S", run("norn", "--help").split("Verbs:")[1].split("\n\n")[0], re.M)
    assert len(verbs) > 10, verbs
    for verb in verbs:
        with open(os.path.join(directory, f"norn-{verb}.1"), encoding="utf-8") as file:
            page = file.read().replace("\\-", "-")
        for option in re.findall(r"^  (--[a-z-]+)", run("norn", "help", verb), re.M):
            assert f".B {option}" in page, f"{verb}: {option}"
    needs("mandoc")
    run("mandoc", "-T", "lint", "-W", "error", *glob.glob(os.path.join(directory, "*.1")))
    page = re.sub(".\b", "", run("mandoc", "-T", "ascii", os.path.join(directory, "norn-run.1")))  # bold is typed twice
    expect(page, "NAME", r"norn run \[options\]")


def main():
    os.environ["PATH"] = os.path.join(BUILD, "bin") + os.pathsep + os.environ["PATH"]
    os.environ["NORN_BIN"] = os.path.join(BUILD, "bin")
    names = sys.argv[3:] or list(TESTS)
    counts = {"ok": 0, "FAIL": 0, "skipped": 0}
    for name in names:
        try:
            TESTS[name]()
            result, words = "ok", ""
        except Skipped as reason:
            result, words = "skipped", f": {reason}"
        except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
            result, words = "FAIL", f": {error!r}" if not str(error) else f": {error}"
        counts[result] += 1
        print(f"{result:<8} {name}{words}", flush=True)
    print(f"{counts['ok']} passed, {counts['FAIL']} failed, {counts['skipped']} skipped")
    return 1 if counts["FAIL"] else 0


sys.exit(main())
