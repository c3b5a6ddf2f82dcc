"""What a part's record says: medians of pairs with their intervals, tables in Markdown, and the bars.

A pair is two runs of one round, next to each other in time. A ratio is the median of the pairs'. Its interval is of
order statistics (no assumption on how ratios are distributed): with n pairs the k-th least and the k-th greatest hold the
true median with probability 1 - 2 P[Binomial(n, 1/2) < k]; k is the largest for which that is at least 95 %. Fewer than
six pairs have no such k: the least and the greatest stand then, and the head says how sure they are.
"""

import math
import statistics


def interval_rank(count):
    """k, and how probable it is that the k-th least and greatest hold the median."""
    def covered(k):
        return 1 - 2 * sum(math.comb(count, i) for i in range(k)) / 2**count

    k = 1
    while k < count // 2 and covered(k + 1) >= 0.95:
        k += 1
    return k, max(covered(k), 0)


class Ratio:
    def __init__(self, pairs):
        values = sorted(pairs)
        rank, _ = interval_rank(len(values))
        self.median = statistics.median(values)
        self.low, self.high = values[rank - 1], values[-rank]

    def __str__(self):
        return f"{number(self.median)} ({number(self.low)}–{number(self.high)})"


def geomean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def number(value):
    """Three digits, no more: 12.3, 4.56, 789."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.{1 if value >= 10 else 2}f}"


def table(head, rows):
    rows = [head, *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]

    def line(row):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
        return "| " + " | ".join(cells) + " |"

    rule = "|" + "|".join(["-" * (widths[0] + 2), *("-" * (width + 1) + ":" for width in widths[1:])]) + "|"
    return "\n".join([line(head), rule, *map(line, rows[1:])])


class Measured:
    """The runs of a part that ended well, by load, tool and round."""

    def __init__(self, lines, tools):
        self.tools = tools
        self.runs, self.wrong = {}, []
        natural = {(line["load"], line["scale"]): line["result"] for line in lines
                   if line["tool"] == "native" and line["status"] == 0}
        for line in lines:
            expected = natural.get((line["load"], line["scale"]))
            if line["status"]:
                why = "took too long" if line["status"] == 137 else f"ended with status {line['status']}"
                self.wrong.append(f"{line['load']} under {line['tool']} {why}")
            elif line["result"] != expected:
                self.wrong.append(f"{line['load']} under {line['tool']} gave '{line['result']}', natively '{expected}'")
            else:
                self.runs.setdefault(line["load"], {}).setdefault(line["tool"], {})[line["round"]] = line
        empty = self.runs.pop("nothing", {})
        self.start = {tool: statistics.median(run["cpu"] for run in runs.values()) for tool, runs in empty.items()}

    def value(self, run, key):
        return max(run["cpu"] - self.start.get(run["tool"], 0), 1e-3) if key == "cpu" else run[key]

    def pairs(self, load, one, other, key="cpu"):
        """round -> our value by theirs"""
        ours, theirs = self.runs[load].get(one, {}), self.runs[load].get(other, {})
        return {number: self.value(ours[number], key) / self.value(theirs[number], key) for number in ours.keys() & theirs}

    def ratio(self, load, one, other, key="cpu"):
        pairs = self.pairs(load, one, other, key)
        return Ratio(pairs.values()) if pairs else None

    def mean(self, one, other, key="cpu", loads=None):
        """The geomean of all loads, a value for each round that all have."""
        every = [self.pairs(load, one, other, key) for load in loads or self.runs]
        rounds = set.intersection(*map(set, every)) if every else set()
        return Ratio([geomean([pairs[number] for pairs in every]) for number in rounds]) if rounds else None

    def rounds(self):
        return min((len(runs) for tools in self.runs.values() for runs in tools.values()), default=0)


def shown(ratio):
    return str(ratio) if ratio else "–"


def comparison(measured, peer, ours):
    """Loads down; × native of each tool, then our tools by the peer, in time and memory."""
    tools = measured.tools
    head = ["", "native, s", *(f"{tool.title} × native" for tool in tools)]
    others = [(tool, key) for key in ("cpu", "memory") for tool in ours]
    names = {tool.name: tool.title for tool in tools}
    head += [f"{names[tool]} / {names[peer]}" + (", memory" if key == "memory" else "") for tool, key in others]
    rows = []
    for load, runs in measured.runs.items():
        natives = [run["cpu"] for run in runs.get("native", {}).values()]
        cells = [f"{statistics.median(natives):.3f}" if natives else "–"]
        for tool in tools:
            ratio = measured.ratio(load, tool.name, "native")
            cells.append(number(ratio.median) if ratio else "–")
        cells += [shown(measured.ratio(load, tool, peer, key)) for tool, key in others]
        rows.append([load, *cells])
    means = []
    for tool in tools:
        mean = measured.mean(tool.name, "native")
        means.append(number(mean.median) if mean else "–")
    rows.append(["**geomean**", "", *means, *(shown(measured.mean(tool, peer, key)) for tool, key in others)])
    return table(head, rows)


def met(ratio, bar):
    """A bar is met when the interval reaches it."""
    return "not measured" if ratio is None else "met" if ratio.low <= bar else "missed"


def mean_bar(measured, title, one, other, bar, key="cpu"):
    mean = measured.mean(one, other, key)
    return [title, f"≤ {bar}", shown(mean), met(mean, bar)]


def each_bar(measured, title, one, other, bar, key="cpu"):
    ratios = {load: measured.ratio(load, one, other, key) for load in measured.runs}
    ratios = {load: ratio for load, ratio in ratios.items() if ratio}
    if not ratios:
        return [title, f"≤ {bar}", "–", "not measured"]
    worst = max(ratios, key=lambda load: ratios[load].median)
    reached = sum(ratio.low <= bar for ratio in ratios.values())
    return [title, f"≤ {bar}", f"{ratios[worst]} {worst}", f"met on {reached} of {len(ratios)}"]


def growth_bars(measured):
    """Slowdown at 64 threads by that at 2, ours by TSan's own."""
    rows = []
    for name in sorted({load.split()[0] for load in measured.runs}):
        few, many = f"{name} 2", f"{name} 64"
        if few not in measured.runs or many not in measured.runs:
            continue
        factors = {}
        for tool in ("hybrid", "tsan"):
            before, after = measured.pairs(few, tool, "native"), measured.pairs(many, tool, "native")
            factors[tool] = {number: after[number] / before[number] for number in before.keys() & after}
        both = factors["hybrid"].keys() & factors["tsan"]
        if not both:
            continue
        ratio = Ratio([factors["hybrid"][number] / factors["tsan"][number] for number in both])
        own = " / ".join(number(statistics.median(factors[tool].values())) for tool in ("hybrid", "tsan"))
        rows.append([f"{name}: 64 threads / 2, hybrid's factor by TSan's ({own})", "≤ 1.5", str(ratio), met(ratio, 1.5)])
    return rows


def report(measured, peer, ours, bars):
    """All that a part says."""
    if not measured.runs:
        return "Nothing was measured.\n"
    rounds = measured.rounds()
    _, covered = interval_rank(rounds) if rounds else (0, 0)
    text = [f"CPU time (user and system); medians of at least {rounds} interleaved pairs, in brackets the interval by "
            f"order statistics ({100 * covered:.0f} % at {rounds} pairs).", comparison(measured, peer, ours)]
    rows = bars(measured)
    if rows:
        text.append(table(["bar", "", "measured", ""], rows))
    if measured.start:
        text.append("An empty run, which is taken off, ms: "
                    + ", ".join(f"{tool} {1000 * cpu:.1f}" for tool, cpu in measured.start.items()) + ".")
    found = {}
    for load, tools in measured.runs.items():
        for tool, runs in tools.items():
            most = max(run["reports"] for run in runs.values())
            if most:
                found.setdefault(load, []).append(f"{tool} {most}")
    if found:
        text.append("Reports: " + "; ".join(f"{load}: {', '.join(counts)}" for load, counts in found.items()) + ".")
    if measured.wrong:
        text.append("Went wrong, and is left out:\n" + "\n".join(f"- {line}" for line in sorted(set(measured.wrong))))
    return "\n\n".join(text) + "\n"
