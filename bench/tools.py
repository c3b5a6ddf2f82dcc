"""The tools that are compared: how each builds a kernel, how it runs one, and what its words say."""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess

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

    def command(self, builder, kernel, arguments):
        prefix = ["valgrind", f"--tool={self.valgrind}", "--error-limit=no"] if self.valgrind else []
        if self.valgrind == "norn":
            prefix = [builder.norn, "run", "--binary", "--fail-on=none", "--"]
        return [*prefix, str(builder.binary(kernel, self.build)), *map(str, arguments)]

    def environment(self):
        clean = {name: value for name, value in os.environ.items()
                 if name not in ("NORN_OPTIONS", "TSAN_OPTIONS", "VALGRIND_OPTS")}
        if self.build == "tsan":
            clean["TSAN_OPTIONS"] = "exitcode=0"
        if self.engine:
            clean["NORN_OPTIONS"] = f"engine={self.engine}"
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
    Tool("msm-short", "norn msm-short", "norn", engine="msm-short"),
    Tool("sampling", "norn sampling", "sampling"),
    Tool("norn-valgrind", "norn, unmodified", "native", valgrind="norn"),
    Tool("helgrind", "helgrind", "native", valgrind="helgrind"),
    Tool("drd", "drd", "native", valgrind="drd"),
]


def choose(names):
    """The tools of a comma-separated list, in the order of the table."""
    known = {tool.name for tool in TOOLS}
    for name in names:
        if name not in known:
            raise Missing(f"there is no tool '{name}'; choose from: {', '.join(sorted(known))}")
    return [tool for tool in TOOLS if tool.name in names]


class Builder:
    """Builds kernels into a directory, one object and one binary for each compiler."""

    def __init__(self, build_directory, directory):
        self.directory = directory
        self.norn = str(build_directory / "bin" / "norn")
        self.compilers = {"native": [CLANG], "tsan": [CLANG, "-fsanitize=thread"],
                          "norn": [str(build_directory / "bin" / "norn-c++")],
                          "sampling": [str(build_directory / "bin" / "norn-c++"), "-fnorn-profile=sampling"]}
        self.measure = directory / "measure"

    def prepare(self, tools):
        """Builds the measuring program and sees that every tool is there."""
        if not shutil.which(CLANG):
            raise Missing(f"{CLANG} is missing; type: apt-get install clang-19")
        if not shutil.which("size"):
            raise Missing("size is missing; type: apt-get install binutils")
        if any(tool.valgrind for tool in tools) and not shutil.which("valgrind"):
            raise Missing("helgrind and drd are missing; type: apt-get install valgrind, or leave them out: "
                          "--tools=tsan,hb,hybrid,msm-short")
        subprocess.run([CLANG, *FLAGS, "-static", str(HERE / "measure.cc"), "-o", str(self.measure)], check=True)
        probe = self.directory / "probe.cc"
        probe.write_text("int main() {}\n")
        advice = {"tsan": "ThreadSanitizer's runtime is missing; type: apt-get install libclang-rt-19-dev",
                  "norn": f"{self.compilers['norn'][0]} does not work; build norn first: make build"}
        advice["sampling"] = advice["norn"]
        for build in sorted({tool.build for tool in tools} - {"native"}):
            try:
                subprocess.run([*self.compilers[build], str(probe), "-o", str(probe.with_suffix(""))], check=True,
                               capture_output=True)
            except (OSError, subprocess.CalledProcessError):
                raise Missing(advice[build]) from None

    def binary(self, kernel, build):
        return self.directory / f"{kernel}.{build}"

    def compile(self, source, build):
        """Builds a kernel; gives the size of its machine code in bytes, without the tool's own runtime."""
        binary = self.binary(source.stem, build)
        target = binary.with_name(binary.name + ".o")
        compiler = self.compilers[build]
        subprocess.run([*compiler, *FLAGS, "-c", str(source), "-o", str(target)], check=True)
        subprocess.run([*compiler, str(target), "-o", str(binary)], check=True)
        return text_size([str(target)])

    def make_variables(self, build):
        """The compilers, for a program that has a Makefile of its own."""
        cxx = " ".join(self.compilers[build])
        return {"CC": cxx.replace("clang++", "clang").replace("norn-c++", "norn-cc"), "CXX": cxx}


def text_size(objects):
    sections = subprocess.run(["size", "-A", *objects], check=True, capture_output=True, text=True).stdout
    return sum(int(size) for size in re.findall(r"^\.text\S*\s+(\d+)", sections, re.M))


@dataclasses.dataclass
class Run:
    """What one run took, or the least that several took."""
    cpu: float
    wall: float
    memory: int                    # KiB
    status: int
    output: str
    reports: int

    def least(self, other):
        if other is None:
            return self
        # The least time and memory of the runs that ended well; if one did not, that is what counts.
        if self.status or other.status:
            return self if self.status else other
        return Run(min(self.cpu, other.cpu), min(self.wall, other.wall), min(self.memory, other.memory), 0,
                   self.output, max(self.reports, other.reports))


def run(builder, tool, kernel, arguments, seconds):
    """Runs a kernel under a tool once, for at most so many seconds of wall time."""
    log = builder.directory / "measured"
    log.unlink(missing_ok=True)
    command = [str(builder.measure), str(log), str(seconds),
               *tool.command(builder, kernel, arguments)]
    # Reports may be long: into a file, so that they do not fill the pipe.
    errors = builder.directory / "errors"
    with errors.open("wb") as sink:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=sink, check=False,
                              env=tool.environment() | {"NORN_DIR": str(builder.directory / "findings")})
    cpu, wall, memory, status = log.read_text().split()
    text = errors.read_text(errors="replace")
    return Run(float(cpu), float(wall), int(memory), int(status), done.stdout.decode(errors="replace").strip(),
               tool.reports(text))
