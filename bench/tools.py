"""The tools that are compared: how each builds a kernel, how it runs one, and what its words say."""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = ["-std=c++20", "-O2", "-g", f"-I{HERE / 'kernels'}"]
CLANG = "clang++-19"


class Missing(Exception):
    """A tool that is compared is not there; the message says what to type."""


@dataclasses.dataclass(frozen=True)
class Tool:
    name: str
    title: str
    build: str                     # whose binary it runs: "native", "tsan", "norn" or "sampling"
    engine: str = ""               # norn's
    valgrind: str = ""             # the tool's name for valgrind; "norn" is norn's own

    def command(self, builder, binary, arguments):
        prefix = ["valgrind", f"--tool={self.valgrind}", "--error-limit=no"] if self.valgrind else []
        if self.valgrind == "norn":
            prefix = [builder.norn, "run", "--binary", "--fail-on=none", "--"]
        return [*prefix, str(binary), *map(str, arguments)]

    def environment(self):
        clean = {name: value for name, value in os.environ.items()
                 if name not in ("NORN_OPTIONS", "TSAN_OPTIONS", "VALGRIND_OPTS")}
        if self.build == "tsan":
            clean["TSAN_OPTIONS"] = "exitcode=0"
        if self.build in ("norn", "sampling", "before"):
            clean["NORN_OPTIONS"] = "fail_on=none" + (f":engine={self.engine}" if self.engine else "")
        return clean

    def reports(self, errors):
        """How many different reports stand in what the tool printed."""
        if self.valgrind and self.valgrind != "norn":
            summary = re.search(r"ERROR SUMMARY: \d+ errors? from (\d+) contexts?", errors)
            return int(summary.group(1)) if summary else 0
        if self.build == "tsan":
            return errors.count("WARNING: ThreadSanitizer")
        return len(re.findall(r"^norn: race", errors, re.M))


NATIVE = Tool("native", "native", "native")
TOOLS = [
    Tool("tsan", "TSan", "tsan"),
    Tool("hb", "norn hb", "norn", engine="hb"),
    Tool("hybrid", "norn hybrid", "norn", engine="hybrid"),
    Tool("before", "norn hybrid, before", "before", engine="hybrid"),
    Tool("sampling", "norn sampling", "sampling"),
    Tool("norn-valgrind", "norn, unmodified", "native", valgrind="norn"),
    Tool("helgrind", "helgrind", "native", valgrind="helgrind"),
    Tool("drd", "drd", "native", valgrind="drd"),
]


def named(names):
    return [tool for tool in TOOLS if tool.name in names]


def state_of(build_directory):
    """Which build of norn it is: when it was made."""
    library = build_directory / "lib" / "norn"
    if not library.is_dir():
        raise Missing(f"there is no norn in {build_directory}; type: make build")
    parts = [build_directory / "bin" / "norn-c++", *library.rglob("*")]
    return str(max(part.stat().st_mtime_ns for part in parts))


class Builder:
    """Builds loads into a directory for each compiler; what is there and still good is not built again."""

    def __init__(self, build_directory, directory, before=None):
        self.directory = directory
        self.norn = str(build_directory / "bin" / "norn")
        self.compilers = {"native": [CLANG], "tsan": [CLANG, "-fsanitize=thread"],
                          "norn": [str(build_directory / "bin" / "norn-c++")],
                          "sampling": [str(build_directory / "bin" / "norn-c++"), "-fnorn-profile=sampling"]}
        self.measure = directory / "measure"
        self.state = state_of(build_directory)
        self.states = {"norn": self.state, "sampling": self.state}
        if before:
            self.compilers["before"] = [str(before / "bin" / "norn-c++")]
            self.states["before"] = state_of(before)
            self.state += "-" + self.states["before"]

    def prepare(self, tools):
        """Builds the measuring program and sees that every tool is there."""
        if not shutil.which(CLANG):
            raise Missing(f"{CLANG} is missing; type: apt-get install clang-19 libclang-rt-19-dev")
        if any(tool.valgrind for tool in tools) and not shutil.which("valgrind"):
            raise Missing("helgrind and drd are missing; type: apt-get install valgrind")
        self.directory.mkdir(parents=True, exist_ok=True)
        subprocess.run([CLANG, *FLAGS, "-static", str(HERE / "measure.cc"), "-o", str(self.measure)], check=True)

    def binary(self, name, build):
        return self.directory / f"{name}.{build}"

    def build(self, load, build):
        state = load.state() + self.states.get(build, "")
        binary = load.binary(self, build)
        stamp = binary.with_name(binary.name + ".state")
        if binary.exists() and stamp.exists() and stamp.read_text() == state:
            return
        load.build(self, build, state)
        stamp.write_text(state)

    def compile(self, source, build):
        subprocess.run([*self.compilers[build], *FLAGS, str(source), "-o", str(self.binary(source.stem, build))],
                       check=True)

    def make_variables(self, build):
        """The compilers, for a program that has a Makefile of its own."""
        cxx = " ".join(self.compilers[build])
        return {"CC": cxx.replace("clang++", "clang").replace("norn-c++", "norn-cc"), "CXX": cxx}


def run(builder, tool, load, scale, seconds):
    """Runs a load under a tool once, for at most so many seconds of wall time; gives a line of the record."""
    with tempfile.TemporaryDirectory(prefix="norn-bench-") as name:
        directory = pathlib.Path(name)
        # What is written may be long: into files, so that it does not fill a pipe.
        log, errors, output = (directory / name for name in ("measured", "errors", "output"))
        command = [str(builder.measure), str(log), str(seconds),
                   *tool.command(builder, load.binary(builder, tool.build), load.arguments(scale))]
        driver = load.driver(scale)
        with errors.open("wb") as err, output.open("wb") as out:
            process = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL,
                                       env=tool.environment() | {"NORN_DIR": str(directory / "findings")})
            if driver:
                result = subprocess.run(list(map(str, driver)), stdout=subprocess.PIPE, check=False).stdout
            process.wait()
        if not driver:
            result = output.read_bytes()
        cpu, wall, memory, status = log.read_text().split()
        return {"load": load.name, "tool": tool.name, "scale": scale, "cpu": float(cpu), "wall": float(wall),
                "memory": int(memory), "status": int(status), "result": load.result(result),
                "reports": tool.reports(errors.read_text(errors="replace"))}
