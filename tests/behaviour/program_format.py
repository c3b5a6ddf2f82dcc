"""A lit format like lit's own for shell scripts, but what a RUN line asks of a Python script with a `main(arguments)` is
done in lit's worker. A shell and a Python for each program would be a third of what the programs cost."""

import contextlib
import importlib
import io
import os
import re
import shlex
import sys
import traceback

import lit.formats
import lit.Test
import lit.TestRunner

SHELL_SYNTAX = re.compile(r"[|&;<>$`*?]")


class ProgramFormat(lit.formats.ShTest):
    def __init__(self, scripts):
        """`scripts`: the paths of those that are run so."""
        super().__init__(execute_external=True)
        self.scripts = scripts

    def execute(self, test, lit_config):
        script = lit.TestRunner.parseIntegratedTestScript(test)
        if isinstance(script, lit.Test.Result):
            return script
        temporary = lit.TestRunner.getTempPaths(test)
        substitutions = lit.TestRunner.getDefaultSubstitutions(test, *temporary, normalize_slashes=True)
        lines = [re.fullmatch(lit.TestRunner.kPdbgRegex, line).group(2)
                 for line in lit.TestRunner.applySubstitutions(script, substitutions)]
        calls = [self.call_of(line) for line in lines]
        if lit_config.noExecute or not all(calls):
            return super().execute(test, lit_config)
        return run_here(calls, test.config.environment)

    def call_of(self, line):
        """The arguments of a script that can run here, its own path first; None of any other command."""
        words = [] if SHELL_SYNTAX.search(line) else shlex.split(line)
        return words[1:] if len(words) > 1 and words[0] == sys.executable and words[1] in self.scripts else None


def run_here(calls, environment):
    output = io.StringIO()
    status = 0
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment)
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            for script, *arguments in calls:
                print(shlex.join([script, *arguments]))
                status = status or script_module(script).main(arguments)
    except (Exception, SystemExit):
        status = 1
        output.write(traceback.format_exc())
    finally:
        os.environ.clear()
        os.environ.update(before)
    return lit.Test.Result(lit.Test.FAIL if status else lit.Test.PASS, output.getvalue())


def script_module(script):
    directory, name = os.path.split(script)
    if directory not in sys.path:
        sys.path.insert(0, directory)
    return importlib.import_module(os.path.splitext(name)[0])
