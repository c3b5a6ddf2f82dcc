"""What each strategy makes of a program with a bug: found or not, and after how many schedules on average."""

import concurrent.futures
import dataclasses
import os
import pathlib

from bug import CONSEQUENCES, PLAIN_COMPILERS, fails_plainly, norn_compilers
from verbs import IN_ORDER, STRATEGIES, confirm, entries, run, shown

LEVEL = "-O1"
# Runs that hand a turn to and fro wait for a processor most of the time.
JOBS = 3 * os.cpu_count()


@dataclasses.dataclass
class Score:
    runs: int = 0
    bugs: int = 0
    confirmed: int = 0  # of per_candidate runs, those that brought the promised candidate together: race-directed only
    per_candidate: int = 0
    events: float = 0

    @property
    def schedules(self):
        """The mean number of schedules to the bug: runs are independent, so it is their number by the bugs'."""
        return self.runs / self.bugs if self.bugs else None


def is_expected(entry, finding):
    """Whether a row of confirm's report is the finding that the program's comment promises."""
    kind, _, name = finding.partition(":")
    return entry["kind"] == kind and name in (entry.get("title") or entry.get("name") or "")


def build(bug, directory):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    return bug.build(norn_compilers(), directory / bug.name, [LEVEL])


def explore(bug, program, directory, strategy, runs, seed):
    done = confirm(["--explore"], [program], directory, strategy, runs, seed, [f"--jobs={JOBS}"])
    score = Score()
    for entry in entries(done):
        score.runs += entry["runs"]
        score.bugs += shown(entry, CONSEQUENCES[bug.shows])
        score.events = entry.get("mean_events") or 0
    return score


def direct(bug, program, directory, runs, seed):
    """Race-directed, with every candidate of a detection run. None when there is no candidate."""
    run([program], directory, ["--hazards"], **IN_ORDER)
    found = entries(confirm(["--all"], [program], directory, "race-directed", runs, seed, [f"--jobs={JOBS}"]))
    if not found:
        return None
    score = Score(per_candidate=runs)
    for entry in found:
        score.runs += entry["runs"]
        score.bugs += shown(entry, CONSEQUENCES[bug.shows])
        score.events = entry.get("mean_events") or 0
        if is_expected(entry, bug.finding):
            score.confirmed = max(score.confirmed, entry["confirmed"])
    return score


def measure(bug, program, directory, strategy, runs, seed):
    if strategy == "race-directed":
        return direct(bug, program, directory, runs, seed)
    return explore(bug, program, directory, strategy, runs, seed)


def count_plainly(bug, directory, runs):
    """In how many runs without norn the bug showed itself."""
    program = bug.build(PLAIN_COMPILERS, pathlib.Path(directory) / f"{bug.name}.plain", [LEVEL])
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        return sum(pool.map(lambda _: fails_plainly(program), range(runs)))


__all__ = ["STRATEGIES", "Score", "build", "count_plainly", "measure"]
