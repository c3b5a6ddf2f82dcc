"""A test program: what its comments say of it, how it is built, and how what was reported compares with it.

What a program says of itself, in comments anywhere in its source:

    NORACE                       it has no race
    RACE: STANDING NAME          this line takes part in a race of that standing on the variable NAME, and the report
                                 must say so, and name the variable; <NAME> is a label that need not be reported
    MAYBE: NAME                  this line may take part in the race on NAME (what the optimiser leaves differs)
    FLAG: NAME                   this line takes part in what is told as a flag: the variable NAME, which is not atomic.
                                 Where it is said, or NO-FLAGS, no other flag may be told
    EITHER                       a race between lines that say so may be reported or not (a flag that is only looked at)
    STACK: INNER [OUTER…]        some reported stack has these functions in this order
    NOT-STACK: FUNCTION          no reported stack has this function
    ENGINES: ENGINE…             the engines to run it with (default: hybrid)
    OPTIONS: OPTION…             more options for norn run
    FLAGS: FLAG…                 more flags for the compiler
    ALSO: FILE                   one more translation unit
    MODULE: FILE                 a shared object to build; its path is the program's next argument
    ARGS: ARG…                   arguments, after the modules
    STDOUT: LINE                 a line of the program's output (default: none)
    EXIT: N   SIGNAL: NAME       how the program itself ends (default: EXIT: 0)
    REQUIRES-HEADER: FILE        without this header there is nothing to test
    UNORDERED: WHAT: REASON      WHAT (race NAME, deadlock, crash…) may happen when nobody waits for a turn (order.h)
"""

import dataclasses
import fcntl
import functools
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import zlib

LEVELS = ("-O0", "-O1", "-O2")
SHARED_FLAGS = ("-g", "-pthread")
HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass
class Race:
    standing: str
    is_label: bool = False
    lines: set = dataclasses.field(default_factory=set)
    maybe: set = dataclasses.field(default_factory=set)

    def allows(self, line):
        return line in self.lines or line in self.maybe


def two_levels(source, levels=LEVELS):
    """The first level and one of the others, by the program's name; all of them with NORN_TEST_FULL."""
    if os.environ.get("NORN_TEST_FULL"):
        return list(levels)
    other = 1 + zlib.crc32(pathlib.Path(source).name.encode()) % (len(levels) - 1)
    return [levels[0], levels[other]]


def quick_flags(compiler, level, is_cpp):
    """What makes a build by norn's compilers quicker: lld, but not at -O0, and the headers of C++ compiled before.
    Nothing with NORN_TEST_FULL."""
    directory = os.environ.get("NORN_TEST_PRECOMPILED")
    if os.environ.get("NORN_TEST_FULL") or not directory or "+" in level:
        return []
    linker = [] if level == "-O0" else ["-fuse-ld=lld"]
    return [*linker, "-include-pch", precompiled_header(compiler, level, pathlib.Path(directory))] if is_cpp else linker


@functools.cache
def precompiled_header(compiler, level, directory):
    """Compiles precompiled.h at a level, unless that was done."""
    header = HERE / "precompiled.h"
    clang = shutil.which("clang-19")
    history = [(status.st_mtime_ns, status.st_size) for status in map(os.stat, (header, compiler[0], clang))]
    path = directory / f"headers{level}-{zlib.crc32(repr(history).encode()):08x}.pch"
    directory.mkdir(parents=True, exist_ok=True)
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            being_made = f"{path}.new"
            compiled([*compiler, level, *SHARED_FLAGS, "-x", "c++-header", str(header), "-o", being_made])
            os.rename(being_made, path)
    return str(path)


def compiled(command):
    """Runs a compiler; what it says of a failure becomes the exception's words."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode != 0:
        raise RuntimeError(f"{shlex.join(command)} ended with {done.returncode}\n{done.stdout}")


def programs_in(directory):
    """The sources of the programs in a suite and its subfolders, by name."""
    directory = pathlib.Path(directory)
    return sorted((path for path in directory.rglob("*")
                   if path.suffix in (".c", ".cpp") and "Inputs" not in path.parts), key=lambda path: path.name)


@functools.cache
def has_header(header):
    probe = subprocess.run(["clang-19", "-E", "-x", "c", "-"], input=f"#include <{header}>\n", text=True,
                           capture_output=True)
    return probe.returncode == 0


class Program:
    def __init__(self, source):
        self.source = pathlib.Path(source)
        self.races = {}
        self.either = set()
        self.flag_lines = {}  # by variable
        text = self.source.read_text()
        maybe = []
        for number, line in enumerate(text.splitlines(), 1):
            for standing, name in re.findall(r"RACE: (observed|predicted) (\S+)", line):
                race = self.races.setdefault(name.strip("<>"), Race(standing, name.startswith("<")))
                assert race.standing == standing, f"{source}:{number}: {name} has two standings"
                race.lines.add(number)
            for name in re.findall(r"// FLAG: (\S+)", line):
                self.flag_lines.setdefault(name, set()).add(number)
            if re.search(r"// EITHER\b", line):
                self.either.add(number)
            maybe += [(number, name.strip("<>")) for name in re.findall(r"MAYBE: (\S+)", line)]
        for number, name in maybe:
            self.races[name].maybe.add(number)

        def said(key):
            return re.findall(rf"^// {key}: ?(.*)$", text, re.M)

        def words(key):
            return [word for value in said(key) for word in shlex.split(value)]

        self.norace = re.search(r"^// NORACE$", text, re.M) is not None
        assert self.norace != bool(self.races), f"{source}: say either NORACE or RACE"
        self.says_flags = bool(self.flag_lines) or re.search(r"^// NO-FLAGS$", text, re.M) is not None
        self.engines = words("ENGINES") or ["hybrid"]
        self.options = words("OPTIONS")
        self.flags = words("FLAGS")
        self.include_directories = [HERE]
        self.also = [self.source.parent / name for name in words("ALSO")]
        self.modules = [self.source.parent / name for name in words("MODULE")]
        self.args = words("ARGS")
        self.stdout = "".join(line + "\n" for line in said("STDOUT"))
        self.stacks = [value.split() for value in said("STACK")]
        self.not_stack = words("NOT-STACK")
        self.headers = words("REQUIRES-HEADER")
        self.unordered = dict(value.split(": ", 1) for value in said("UNORDERED"))
        self.signal = next((getattr(signal, name) for name in words("SIGNAL")), None)
        self.exit = int(next(iter(words("EXIT")), 0))

    @property
    def name(self):
        return self.source.name

    def expected(self, engine="hybrid"):
        """The races that this engine must report: hb knows nothing of other schedules."""
        if engine != "hb":
            return self.races
        return {name: race for name, race in self.races.items() if race.standing == "observed"}

    def status_is_own(self, status):
        """Whether `status`, as a shell or as subprocess tells it, is how the program itself should end."""
        if self.signal is None:
            return status == self.exit
        return status in (128 + self.signal, -self.signal)

    def lacks_header(self):
        return next((header for header in self.headers if not has_header(header)), None)

    def build(self, cc, cxx, level, prefix, flags=(), linkers=None):
        """Compiles and links; returns the command that runs the program. `linkers`: the drivers, of C and of C++, that
        link what others compiled."""
        own = [*flags, *self.flags]
        shared = [*level.split("+"), *SHARED_FLAGS, *(f"-I{path}" for path in self.include_directories), *own]
        all_cpp = all(source.suffix == ".cpp" for source in (self.source, *self.also))
        quick = quick_flags((cxx, "-std=c++20"), level, all_cpp) if pathlib.Path(cc).name == "norn-cc" and not own else []

        def compiler(source):
            if source.suffix == ".c":
                return [cc, "-std=gnu11", "-D_GNU_SOURCE"]
            return [cxx, "-std=c++20"]

        def linked(sources, output, *link_flags):
            objects = []
            for number, source in enumerate(sources):
                objects.append(f"{output}.{number}.o")
                compiled([*compiler(source), *shared, "-fPIC", "-c", str(source), "-o", objects[-1]])
            linker = linkers[all(source.suffix == ".c" for source in sources) == 0]
            compiled([linker, *SHARED_FLAGS, *self.flags, *link_flags, *objects, "-o", output, "-ldl", "-latomic"])

        modules = []
        for number, module in enumerate(self.modules):
            modules.append(f"{prefix}.module{number}.so")
            if linkers:
                linked([module], modules[-1], "-shared")
            else:
                compiled([*compiler(module), *shared, "-fPIC", "-shared", str(module), "-o", modules[-1]])
        if linkers:
            linked([self.source, *self.also], prefix)
            return [prefix, *modules, *self.args]
        compiled([*compiler(self.source), *shared, *quick, str(self.source), *map(str, self.also), "-o", prefix, "-ldl"])
        return [prefix, *modules, *self.args]


def clean_environment():
    """The caller's environment without what would change a detector's behaviour."""
    return {key: value for key, value in os.environ.items() if not re.fullmatch("(.*SAN|NORN)_OPTIONS", key)}


def compare(program, expected, reports):
    """What is wrong with the reports, each (standing, name, [line, line]): sentences; none when all is well."""
    wrong = []
    seen = {name: set() for name in expected}
    for standing, location, lines in reports:
        if all(line in program.either for line in lines):
            continue
        for name, race in expected.items():
            named = race.is_label or location is None or name in location
            if named and all(race.allows(line) for line in lines) and standing in (None, race.standing):
                seen[name].update(lines)
                break
        else:
            places = " and ".join(f"line {line}" if line else "elsewhere" for line in lines)
            wrong.append(f"reported and not expected: {standing or 'a'} race on {location or 'something'}, {places}")
    for name, race in expected.items():
        missing = sorted(race.lines - seen[name])
        if missing:
            places = ", ".join(f"line {line}" for line in missing)
            wrong.append(f"expected and not reported: {race.standing} race on {name}, {places}")
    return wrong
