"""Suites that have no programs of their own, or few: they build those of tests/behaviour and tests/loops in another
way. Called by their lit.cfg.py."""

import os


def settle(config, lit_config, directory, make_format):
    """`make_format(norn_bin, output, full)`: the format; `full`: of all programs, not of a sample."""
    norn_bin = lit_config.params.get("norn_bin") or os.environ.get("NORN_BIN")
    if not norn_bin:
        lit_config.fatal("where are norn's tools? say -Dnorn_bin=build/bin, or set NORN_BIN")
    norn_bin = os.path.abspath(norn_bin)
    tests = lit_config.params.get("output") or os.path.join(os.path.dirname(norn_bin), "tests")
    name = os.path.basename(directory)
    config.name = f"norn-{name}"
    config.test_source_root = directory
    os.environ["NORN_VERIFY"] = "1"
    config.test_exec_root = os.path.join(tests, name)
    config.test_format = make_format(norn_bin, config.test_exec_root, "NORN_TEST_FULL" in os.environ)
