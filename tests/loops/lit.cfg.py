# Programs that wait: loops, condition variables, home-made primitives (see verify.py and docs/accuracy.md).
import os
import sys

config.name = "norn-loops"
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
# Before the same names of tests/behaviour: lit replaces in this order.
check = f"{sys.executable} {config.test_source_root}/verify.py"
config.substitutions.append(("%check-whole-program", f"{check} --lto --whole-program -o %t.whole"))
config.substitutions.append(("%check-lto", f"{check} --lto -o %t.lto"))
config.substitutions.append(("%check", f"{check} -o %t.d"))
lit_config.load_config(config, os.path.join(config.test_source_root, "..", "behaviour", "lit.cfg.py"))

# With NORN_TEST_FULL all; otherwise those whose schedule is forced, by orders of arrival or by turns, and that norn is
# known to get right.
if not os.environ.get("NORN_TEST_FULL"):
    for name in os.listdir(config.test_source_root):
        if name.endswith((".c", ".cpp")):
            with open(os.path.join(config.test_source_root, name), encoding="utf-8") as source:
                text = source.read()
            runs_as_it_comes = any(call in text for call in ("run_two(", "run_many(")) and "await_turn(" not in text
            if runs_as_it_comes or "// KNOWN:" in text:
                config.excludes = [*config.excludes, name]
