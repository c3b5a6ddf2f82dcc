"""A program with a schedule-dependent bug: what its first comment says of it, how it is built, how its runs end.

bugs/bug.h says what the comment means.
"""

import dataclasses
import os
import pathlib
import re
import select
import signal
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
WAYS = ("assertion", "crash", "exception", "status", "hang")
# What norn calls the consequence of a bug that shows itself in one of the WAYS.
CONSEQUENCES = {
    "assertion": {"assertion", "abort"},
    "crash": {"crash", "sanitizer"},
    "exception": {"exception", "abort"},
    "status": {"status"},
    "hang": {"hang", "deadlock"},
}
SECONDS = 120
BUSY_SECONDS = 2  # of processor time; what ends takes a hundredth
FIRST_POLL_MS = 1000  # most have ended by then
POLL_MS = 100
QUIET_POLLS = 4


@dataclasses.dataclass
class Bug:
    source: pathlib.Path
    kind: str
    preemptions: int
    threads: int
    shows: str
    finding: str

    @property
    def name(self):
        return self.source.stem

    @property
    def is_race(self):
        return self.finding.startswith("race:")

    def build(self, compilers, output, flags=()):
        """Compiles with the (C, C++) compilers; returns the program's path."""
        c, cxx = compilers
        compiler = [c, "-std=gnu11", "-D_GNU_SOURCE"] if self.source.suffix == ".c" else [cxx, "-std=c++20"]
        subprocess.run([*compiler, "-g", "-pthread", *flags, str(self.source), "-o", str(output)], check=True)
        return str(output)


def read_bug(source):
    source = pathlib.Path(source)
    said = re.search(r"^// BUG: (.*)$", source.read_text(), re.M)
    assert said, f"{source}: no BUG: line"
    fields = dict(word.split("=", 1) for word in said[1].split())
    assert fields["shows"] in WAYS, f"{source}: shows={fields['shows']}"
    assert re.fullmatch(r"none|deadlock|(race|atomicity):\S+", fields["finding"]), f"{source}: {fields['finding']}"
    return Bug(source, fields["kind"], int(fields["preemptions"]), int(fields["threads"]), fields["shows"],
               fields["finding"])


def all_bugs():
    sources = [path for path in sorted((HERE / "bugs").iterdir()) if path.suffix in (".c", ".cpp")]
    return [read_bug(source) for source in sources]


def norn_tools():
    return pathlib.Path(os.environ["NORN_BIN"]).absolute()


def norn_compilers():
    return str(norn_tools() / "norn-cc"), str(norn_tools() / "norn-c++")


PLAIN_COMPILERS = ("clang-19", "clang++-19")


def threads_of(process):
    """State and processor time of each of the process's threads; None when it is gone."""
    found = []
    try:
        for task in os.listdir(f"/proc/{process}/task"):
            fields = pathlib.Path(f"/proc/{process}/task/{task}/stat").read_text().rpartition(")")[2].split()
            found.append((task, fields[0], fields[11], fields[12]))
    except (FileNotFoundError, ProcessLookupError):
        return None
    return found


def ending(status, errors):
    """What a shell calls it, in the words of WAYS; None when all went well."""
    if status == 0:
        return None
    if status in (-signal.SIGABRT, 128 + signal.SIGABRT):
        if "Assertion" in errors:
            return "assertion"
        return "exception" if "terminate called" in errors or "pure virtual" in errors else "abort"
    if status in (-signal.SIGSEGV, -signal.SIGBUS, 128 + signal.SIGSEGV, 128 + signal.SIGBUS):
        return "crash"
    return "status"


def await_end(process):
    """Until the process has ended. If it hangs, it is killed."""
    before, quiet, deadline = None, 0, time.monotonic() + SECONDS
    ended = select.poll()
    descriptor = os.pidfd_open(process)
    ended.register(descriptor, select.POLLIN)
    milliseconds = FIRST_POLL_MS
    while not ended.poll(milliseconds):
        milliseconds = POLL_MS
        now = threads_of(process)
        asleep = bool(now) and all(state == "S" for _, state, _, _ in now)
        quiet = quiet + 1 if asleep and now == before else 0
        before = now
        busy = sum(int(ticks) for _, _, *times in now or [] for ticks in times) / os.sysconf("SC_CLK_TCK")
        if quiet >= QUIET_POLLS or busy > BUSY_SECONDS or time.monotonic() > deadline:
            os.kill(process, signal.SIGKILL)
            break
    os.close(descriptor)


def run_plainly(command, **keywords):
    """Runs a program without norn; returns how it ended, in the words of WAYS, or None.

    It hangs when all its threads sleep and none has used the processor for a while, or when it has used the processor
    for much longer than the programs take: neither needs a long time limit.
    """
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                                   **keywords)
        await_end(process.pid)
        if process.wait() == -signal.SIGKILL:
            return "hang"
        errors.seek(0)
        return ending(process.returncode, errors.read().decode(errors="replace"))


def fails_plainly(program):
    """The same, if only whether it ends well is asked: so many runs must cost little."""
    quiet = [(os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_RDWR, 0) for number in range(3)]
    process = os.posix_spawn(program, [program], os.environ, file_actions=quiet)
    await_end(process)
    return os.waitpid(process, 0)[1] != 0
