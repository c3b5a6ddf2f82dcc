"""Builds the programs beside the bugs: figures, special cases, and those of the behaviour suite."""

import pathlib
import subprocess

from bug import HERE, norn_compilers

LEVEL = "-O1"


def build(name, directory, compilers=None, flags=()):
    """`name` is a source below tests/schedule; returns the program's path."""
    source = HERE / name
    directory = pathlib.Path(directory).absolute()
    directory.mkdir(parents=True, exist_ok=True)
    c, cxx = compilers or norn_compilers()
    compiler = [c, "-std=gnu11", "-D_GNU_SOURCE"] if source.suffix == ".c" else [cxx, "-std=c++20"]
    output = directory / source.stem
    subprocess.run([*compiler, "-g", LEVEL, "-pthread", *flags, str(source), "-o", str(output)], check=True)
    return str(output)
