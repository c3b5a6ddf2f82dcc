"""What the tools are compared on: kernels, stand-ins for PARSEC's programs, and real programs.

A load is built once for each compiler, does a share (the scale) of its full work, and has a result that must be the
same under every tool. Below its least scale it would say something of its beginning alone.
"""

import hashlib
import importlib.machinery
import importlib.util
import os
import random
import re
import shutil
import sys

import tools

REAL = tools.HERE.parent / "tests" / "real"
sys.path.insert(0, str(REAL))
import sources  # noqa: E402


class Load:
    least_scale = 0.005
    scale = None            # fixed; None: chosen by what a run takes

    def __init__(self, name, source, threads, size=0):
        self.name, self.source, self.threads, self.size = name, source, threads, size

    def state(self):
        """What the binary depends on, beside the compiler."""
        return str(max(path.stat().st_mtime_ns for path in [self.source, tools.HERE / "kernels" / "kernel.h"]))

    def build(self, builder, build, _state):
        builder.compile(self.source, build)

    def binary(self, builder, build):
        return builder.binary(self.source.stem, build)

    def arguments(self, scale):
        return [self.threads, scale, *([self.size] if self.size else [])]

    def driver(self, _scale):
        """A command that runs beside the program and makes it work; its output is the result then."""
        return None

    def result(self, output):
        return output.decode(errors="replace").strip()


class Program(Load):
    """A real program of Debian's sources: fetched and configured once, built for each compiler."""

    packages = []           # Debian's; the first one's directory is where the build is done
    configure = ""          # commands of the shell, with CC and CXX, JOBS, and the other packages' directories
    make = ""
    path = ""               # of the binary
    least_scale = 0.02

    def __init__(self, build_directory):
        self.name, self.threads, self.size = type(self).name, 2, 0
        self.work = build_directory / "bench" / "programs"
        self.real = build_directory / "real"

    def state(self):
        return self.configure + self.make

    def binary(self, _builder, build):
        return self.work / f"{self.name}-{build}" / self.path

    def fetch(self):
        apt = package.Apt(str(self.real / "apt"))
        self.work.mkdir(parents=True, exist_ok=True)
        self.real.mkdir(exist_ok=True)
        for name in self.packages:
            if not (self.work / name).is_dir():
                try:
                    apt.source(name, str(self.work / name))
                except package.Failed as failed:
                    raise sources.Unavailable(str(failed)) from None
        ready = self.work / f"{self.name}-configured"
        if not ready.is_dir():
            part = self.work / f"{self.name}-part"
            shutil.rmtree(part, ignore_errors=True)
            shutil.copytree(self.work / self.packages[0], part, symlinks=True)
            self.shell(self.configure, part, {"CC": "clang-19", "CXX": "clang++-19"})
            part.rename(ready)

    def shell(self, command, directory, variables):
        environment = os.environ | variables | {"JOBS": str(os.cpu_count()), "SOURCES": str(self.work)}
        sources.run_logged(["sh", "-ec", command], str(self.work / f"{self.name}.log"), cwd=directory, env=environment)

    def directory(self, build, state):
        """Where it is built; a build for the same state that was interrupted goes on."""
        directory = self.work / f"{self.name}-{build}"
        stamp = self.work / f"{self.name}-{build}.state"
        if not stamp.exists() or stamp.read_text() != state:
            shutil.rmtree(directory, ignore_errors=True)
            stamp.write_text(state)
        return directory

    def build(self, builder, build, state):
        self.fetch()
        directory = self.directory(build, state)
        sources.copy_sources(self.work / f"{self.name}-configured", directory)
        self.shell(self.make, directory, builder.make_variables(build))

    def text(self, megabytes):
        """A file of so many megabytes, in words as frequent as words are: the same in each run."""
        path = self.work / f"text-{megabytes:g}"
        if not path.exists():
            chance = random.Random(1)
            words = ["".join(chance.choices("etaoinshrdlu", k=chance.randint(1, 9))) for _ in range(5000)]
            weights = [1 / rank for rank in range(1, len(words) + 1)]
            text = " ".join(chance.choices(words, weights, k=int(megabytes * 250_000))).encode()
            path.write_bytes(text[: int(megabytes * 1_000_000)])
        return path


class Memcached(Program):
    """Four workers; eight connections with a mixed load over a Unix socket (programs/memcached_load.cc)."""

    name = "memcached"
    packages = ["memcached"]
    configure = "./configure --disable-docs --disable-extstore"
    make = ("make -j$JOBS memcached CC=\"$CC\" CFLAGS='-O2 -g -pthread' "
            "AUTOCONF=: AUTOMAKE=: ACLOCAL=: AUTOHEADER=:")
    path = "memcached"
    CONNECTIONS, REQUESTS = 8, 200_000

    def __init__(self, build_directory):
        super().__init__(build_directory)
        self.threads = 4
        self.socket = self.work / "socket"
        self.loader = self.work / "memcached_load"

    def build(self, builder, build, state):
        super().build(builder, build, state)
        source = tools.HERE / "programs" / "memcached_load.cc"
        sources.run_logged([tools.CLANG, "-std=c++20", "-O2", str(source), "-o", str(self.loader)],
                           str(self.work / f"{self.name}.log"))

    def arguments(self, _scale):
        self.socket.unlink(missing_ok=True)
        user = ["-u", "root"] if os.getuid() == 0 else []
        return ["-A", "-t", self.threads, "-s", self.socket, *user]

    def driver(self, scale):
        return [self.loader, self.socket, self.CONNECTIONS, round(self.REQUESTS * scale)]


class Xz(Program):
    """xz -T2 compressing a text in blocks."""

    name = "xz"
    packages = ["xz-utils"]
    configure = ("./configure --disable-nls --disable-doc --disable-shared --disable-scripts --disable-xzdec "
                 "--disable-lzmadec --disable-lzmainfo --disable-lzma-links")
    make = 'for part in liblzma xz; do make -j$JOBS -C src/$part CC="$CC" CFLAGS="-O2 -g"; done'
    path = "src/xz/xz"

    def arguments(self, scale):
        size = 5 * scale
        return ["-T2", "-6", f"--block-size={max(4096, int(size * 250_000))}", "-k", "-c", self.text(size)]

    def result(self, output):
        return hashlib.sha256(output).hexdigest()[:16]


class Pbzip2(Xz):
    """pbzip2 -p2 compressing a text, with bzip2's own library built with it."""

    name = "pbzip2"
    packages = ["pbzip2", "bzip2"]
    configure = "cp $SOURCES/bzip2/*.[ch] . && rm bzip2.c bzip2recover.c dlltest.c mk251.c spewG.c unzcrash.c"
    make = ("$CC -O2 -g -D_FILE_OFFSET_BITS=64 -c *.c && "
            "$CXX -std=gnu++98 -w -O2 -g -D_FILE_OFFSET_BITS=64 -I. *.cpp *.o -pthread -o pbzip2")
    path = "pbzip2"

    def arguments(self, scale):
        return ["-p2", "-b1", "-k", "-c", self.text(10 * scale)]


class LevelDb(Program):
    """LevelDB 1.20: two threads fill a database in random order and read it again, while a third compacts it.

    Its std::atomic variant: the plain pointers that it uses on x86 otherwise are races, and telling them is not what is
    to be measured. Its result is which benchmarks came to their end and how much was found.
    """

    name = "leveldb"
    path = "out-static/db_bench"
    NUMBER = 60_000  # of keys for each thread: about a second
    FLAGS = "-O2 -g -DNDEBUG"

    def build(self, builder, build, state):
        self.work.mkdir(parents=True, exist_ok=True)
        directory = self.directory(build, state)
        variables = builder.make_variables(build) | {"OPT": self.FLAGS}
        sources.build_leveldb(str(self.real), str(directory), variables, os.cpu_count(), ["db_bench"], atomics=True)

    def arguments(self, scale):
        number = max(1, round(self.NUMBER * scale))
        return ["--benchmarks=fillrandom,readrandom", f"--threads={self.threads}", f"--num={number}",
                f"--db={self.work / 'database'}"]

    def result(self, output):
        ended = re.findall(r"^(\w+) +: .* micros/op;(?:.*(\(\d+ of \d+ found\)))?", output.decode(errors="replace"), re.M)
        return ", ".join(" ".join(filter(None, words)) for words in ended)


def load_package():
    """tests/real/package, which knows how to get Debian's sources, as a module."""
    loader = importlib.machinery.SourceFileLoader("package", str(REAL / "package"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("package", loader))
    loader.exec_module(module)
    return module


sys.dont_write_bytecode = True  # beside a script it would be an odd file
package = load_package()


def kernels(_build_directory):
    return [Load(source.stem, source, threads=2) for source in sorted((tools.HERE / "kernels").glob("*.cc"))]


def standins(_build_directory):
    def one(name, threads, size=0):
        return Load(f"{name}_{size}" if size else name, tools.HERE / "standins" / f"{name}.cc", threads, size)

    return [one("fluidanimate", 4), one("swaptions", 2), one("canneal", 4), one("streamcluster", 2),
            one("match_finder", 2, 1024), one("match_finder", 2, 128)]


def programs(build_directory):
    return [program(build_directory) for program in (Memcached, Xz, Pbzip2, LevelDb)]


def grown(name, folder, scale, sizes):
    """The same load at (title, threads, size)."""
    loads = []
    for title, threads, size in sizes:
        load = Load(f"{name} {title}", tools.HERE / folder / f"{name}.cc", threads, size)
        load.scale = scale
        loads.append(load)
    return loads


def threads(_build_directory):
    return [load for name in ("hash_map", "nbody", "task_pool")
            for load in grown(name, "kernels", 0.05, [(str(count), count, 0) for count in (2, 4, 8, 16, 32, 64)])]


MEMORY_PER_HEAP = 6.1  # what a heap takes under the tools, × its size


def heap(_build_directory):
    megabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    sizes = [size for size in (100, 300, 1000, 4000) if size * MEMORY_PER_HEAP < megabytes]
    return grown("heap", "scale_kernels", 1, [(f"{size} MB", 2, size) for size in sizes])


def locks(_build_directory):
    return grown("locks", "scale_kernels", 0.05, [(str(count), 2, count) for count in (10, 1000, 100_000)])
