"""The results as text: tables in Markdown, and norn's targets with what was measured beside them."""

import math


def geomean(values):
    values = [value for value in values if value]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def number(value, digits=3):
    """Three digits, no more: 12.3, 4.56, 789."""
    if value is None:
        return "–"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.{1 if value >= 10 else digits - 1}f}"


def table(head, rows):
    rows = [head, *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]

    def line(row):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
        return "| " + " | ".join(cells) + " |"

    rule = "|" + "|".join(["-" * (widths[0] + 2), *("-" * (width + 1) + ":" for width in widths[1:])]) + "|"
    return "\n".join([line(head), rule, *map(line, rows[1:])])


def column(results, tool, key, of="kernels"):
    return {name: entry["tools"].get(tool, {}).get(key) for name, entry in results[of].items()}


def ratios(results, key):
    """Kernels down, tools across, the kernels' geomean; real programs at the foot."""
    titles = results["titles"]

    def rows_of(what):
        columns = {tool: column(results, tool, key, what) for tool in titles}
        return [[name, *(number(columns[tool][name]) for tool in titles)] for name in results[what]]

    rows = rows_of("kernels")
    means = (geomean(column(results, tool, key).values()) for tool in titles)
    rows.append(["**geomean**", *(f"**{number(mean)}**" for mean in means)])
    rows += rows_of("programs")
    return table(["kernel", *titles.values()], rows)


def reports(results):
    rows = [[name, *(str(entry["tools"][tool]["reports"]) for tool in results["titles"])]
            for name, entry in (results["kernels"] | results["programs"]).items()
            if any(cell["reports"] for cell in entry["tools"].values())]
    return table(["kernel", *results["titles"].values()], rows) if rows else "None."


def text_size(results):
    builds = [build for build in ("tsan", "norn", "sampling") if any(build in e["text"] for e in results["kernels"].values())]
    shares = {build: geomean(e["text"][build] / e["text"]["native"] for e in results["kernels"].values())
              for build in builds}
    names = {"tsan": "TSan", "norn": "norn", "sampling": "norn sampling"}
    return ", ".join(f"{names[build]} {number(share)}×" for build, share in shares.items()) + " native"


def start(results):
    titles = {"native": "native"} | results["titles"]
    rows = [[titles[tool], number(1000 * run["cpu"]), number(run["memory"] / 1024)]
            for tool, run in results["start"].items()]
    return table(["tool", "ms", "MB"], rows)


def compared(results, ours, theirs, key, of="kernels"):
    """Our ratio by theirs, of the kernels that both have."""
    mine, other = column(results, ours, key, of), column(results, theirs, key, of)
    return {kernel: mine[kernel] / other[kernel] for kernel in mine if mine[kernel] and other[kernel]}


def measured_threads(results):
    """How the slowdown of hybrid grows from 2 to 64 threads: the worst kernel."""
    growth = {}
    for kernel, counts in results.get("scale", {}).get("threads", {}).items():
        few, many = (counts.get(count, {}).get("hybrid", {}).get("slowdown") for count in ("2", "64"))
        if few and many:
            growth[kernel] = many / few
    if not growth:
        return "not measured (bench/scale)"
    worst = max(growth, key=growth.get)
    return f"{number(growth[worst])}× ({worst})"


# Kernels that compute most of the time, and synchronize little.
COMPUTE = ("matmul", "stencil", "nbody", "quicksort", "compress")


def measured_sampling(results):
    """The sampling profile's slowdown: of all kernels, and of those that compute."""
    slowdowns = column(results, "sampling", "slowdown")
    if not any(slowdowns.values()):
        return "not measured"
    compute = geomean(slowdowns.get(kernel) for kernel in COMPUTE)
    return f"{number(geomean(slowdowns.values()))}; {number(compute)}"


def targets(results):
    def quotient(tool, key):
        value = geomean(compared(results, tool, "tsan", key).values())
        return number(value)

    def on_program(tool, peer, key):
        return number(compared(results, tool, peer, key, "programs").get("leveldb"))

    each = compared(results, "hybrid", "tsan", "slowdown")
    worst = max(each, key=each.get) if each else None
    rows = [
        ["`hybrid` (default), geomean slowdown / TSan's", "≤ 0.8", "≤ 0.5", quotient("hybrid", "slowdown")],
        ["`hb`, geomean slowdown / TSan's", "≤ 0.65", "≤ 0.45", quotient("hb", "slowdown")],
        ["worst kernel (`hybrid`) / TSan's on it", "≤ 1.0", "≤ 0.8",
         f"{number(each[worst])} ({worst})" if each else "–"],
        ["peak memory (`hybrid`) / TSan's, geomean", "≤ 0.9", "≤ 0.6", quotient("hybrid", "memory_ratio")],
        ["Valgrind front end slowdown / helgrind's, geomean", "≤ 0.8", "≤ 0.3",
         number(geomean(compared(results, "norn-valgrind", "helgrind", "slowdown").values()))],
        ["LevelDB, slowdown / TSan's: `hybrid`; `hb`", "–", "–",
         f"{on_program('hybrid', 'tsan', 'slowdown')}; {on_program('hb', 'tsan', 'slowdown')}"],
        ["LevelDB, Valgrind front end slowdown / helgrind's", "–", "–",
         on_program("norn-valgrind", "helgrind", "slowdown")],
        ["sampling profile, slowdown × native (geomean; compute kernels)", "≤ 1.5; ≤ 1.15", "≤ 1.28; ≤ 1.05",
         measured_sampling(results)],
        ["slowdown at 64 threads / at 2, same total work, `hybrid`", "≤ 1.5", "flat", measured_threads(results)],
    ]
    return table(["what", "bar", "goal", "measured"], rows)


def core(results):
    rows = [[name, number(entry["ns"])] for name, entry in results["core"].items()]
    return table(["what / engine / threads", "ns of processor time"], rows)


def scale(measured):
    """The tables of bench/scale."""
    parts = []
    units = {"threads": "threads", "heap": "heap, MB", "locks": "locks"}
    for experiment, unit in units.items():
        for kernel, sizes in measured.get(experiment, {}).items():
            names = list(next(iter(sizes.values())))
            rows = [[size, *(f"{number(cells[name].get('slowdown'))} / {number(cells[name].get('memory_ratio'))}"
                             for name in names)] for size, cells in sizes.items()]
            parts.append(f"{kernel}: slowdown / peak memory, × native\n\n" + table([unit, *names], rows))
    return "\n\n".join(parts)


def everything(results):
    parts = [f"## Slowdown, × native ({results['threads']} threads)", ratios(results, "slowdown"),
             "## Peak memory, × native", ratios(results, "memory_ratio"),
             "## Targets", targets(results),
             "## Reports (the kernels have no races)", reports(results),
             "## An empty run", start(results),
             f"Machine code, without runtimes, geomean: {text_size(results)}."]
    if results.get("core"):
        parts += ["## The core alone", core(results)]
    if results.get("verdicts"):
        parts += ["## Verdicts on the behaviour tests", results["verdicts"]]
    if results["skipped"]:
        parts += ["## Skipped", "\n".join(f"- {sentence}" for sentence in results["skipped"])]
    if results["wrong"]:
        parts += ["## What went wrong", "\n".join(f"- {sentence}" for sentence in results["wrong"])]
    return "\n\n".join(parts)
