"""What the tools are compared on: the kernels of bench/kernels, and LevelDB's db_bench as a real program.

Each is built once for each compiler, does a share (the scale) of about a second's work, and has a result that must be
the same under every tool. Below its least scale it would say something of its beginning alone.
"""

import os
import re
import shutil
import sys

import tools

sys.path.insert(0, str(tools.HERE.parent / "tests" / "real"))
import sources  # noqa: E402


class Kernel:
    """One file of C++. Its result is the checksum that it prints."""

    least_scale = 0.005

    def __init__(self, source):
        self.source = source
        self.name = source.stem

    def build(self, builder, build):
        return builder.compile(self.source, build)

    def arguments(self, threads, scale):
        return [threads, scale]

    def result(self, output):
        return output


class LevelDb:
    """LevelDB 1.20: two threads fill a database in random order and read it again, while a third compacts it.

    Its std::atomic variant: the plain pointers that it uses on x86 otherwise are races, and telling them is not what is
    to be measured. Its result is which benchmarks came to their end and how much was found.
    """

    name = "leveldb"
    least_scale = 0.05  # a megabyte of values is made before the first is written
    NUMBER = 60_000  # of keys for each thread: about a second
    FLAGS = "-O2 -gdwarf-4 -DNDEBUG"  # Valgrind 3.19 gives up on some of what clang 19 writes as DWARF 5

    def __init__(self, build_directory):
        self.work = build_directory / "real"  # where the package is kept
        self.directory = build_directory / "bench"
        sources.fetch(str(self.work), "classic-level")

    def build(self, builder, build):
        directory = self.directory / f"{self.name}-{build}"
        shutil.rmtree(directory, ignore_errors=True)
        directory.parent.mkdir(parents=True, exist_ok=True)
        variables = builder.make_variables(build) | {"OPT": self.FLAGS}
        made = sources.build_leveldb(str(self.work), str(directory), variables, os.cpu_count(), ["db_bench"],
                                     atomics=True)
        shutil.copy(made["db_bench"], builder.binary(self.name, build))
        return tools.text_size([str(path) for path in directory.glob("out-static/**/*.o")])

    def arguments(self, threads, scale):
        number = max(1, round(self.NUMBER * scale))
        return ["--benchmarks=fillrandom,readrandom", f"--threads={threads}", f"--num={number}", f"--db={self.directory / 'database'}"]

    def result(self, output):
        ended = re.findall(r"^(\w+) +: .* micros/op;(?:.*(\(\d+ of \d+ found\)))?", output, re.M)
        return ", ".join(" ".join(filter(None, words)) for words in ended)


def kernels():
    return [Kernel(source) for source in sorted((tools.HERE / "kernels").glob("*.cc"))]
