"""One picture of the slowdowns: kernels down, a logarithmic axis across, a mark for each tool."""

import math
from xml.sax.saxutils import escape

from tables import column, geomean, number

MARKS = {  # tool -> colour, shape
    "tsan": ("#8a8a8a", "circle"),
    "hb": ("#7fb3e6", "diamond"),
    "hybrid": ("#0b62c4", "diamond"),
    "msm-short": ("#35a29f", "diamond"),
    "sampling": ("#3f9b3f", "diamond"),
    "norn-valgrind": ("#5b3fa8", "diamond"),
    "helgrind": ("#c98a3a", "square"),
    "drd": ("#a0522d", "square"),
}
LEFT, RIGHT, TOP, ROW, BOTTOM, WIDTH = 140, 30, 70, 24, 44, 820


def mark(shape, x, y, colour):
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'
    turn = f' transform="rotate(45 {x:.1f} {y:.1f})"' if shape == "diamond" else ""
    return f'<rect x="{x - 4.2:.1f}" y="{y - 4.2:.1f}" width="8.4" height="8.4" fill="{colour}"{turn}/>'


def draw(results):
    tools = [tool for tool in MARKS if tool in results["titles"]]
    values = {tool: column(results, tool, "slowdown") for tool in tools}
    rows = [(kernel, {tool: values[tool][kernel] for tool in tools}, False) for kernel in results["kernels"]]
    rows.append(("geomean", {tool: geomean(values[tool].values()) for tool in tools}, True))
    rows += [(name, {tool: entry["tools"][tool].get("slowdown") for tool in tools}, False)
             for name, entry in results["programs"].items()]
    present = [value for _, cells, _ in rows for value in cells.values() if value]
    decades = max(1, math.ceil(math.log10(max(present, default=10))))
    span = WIDTH - LEFT - RIGHT
    height = TOP + ROW * len(rows) + BOTTOM

    def across(value):
        return LEFT + span * max(0.0, math.log10(value)) / decades

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
           f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12" role="img">',
           "<title>Slowdown of race detectors, times native</title>",
           f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
           f'<text x="{LEFT}" y="22" font-size="15" font-weight="bold" fill="#222">'
           f'Slowdown, × native ({results["threads"]} threads; left is better)</text>']
    x = LEFT
    for tool in tools:
        title = results["titles"][tool]
        out.append(mark(MARKS[tool][1], x + 5, 44, MARKS[tool][0]))
        out.append(f'<text x="{x + 15}" y="48" fill="#222">{escape(title)}</text>')
        x += 32 + 7 * len(title)
    foot = TOP + ROW * len(rows)
    for tick in (base * 10**power for power in range(decades + 1) for base in (1, 2, 5)):
        if tick > 10**decades:
            break
        colour = "#c4c4c4" if math.log10(tick).is_integer() else "#ececec"
        out.append(f'<line x1="{across(tick):.1f}" y1="{TOP - 8}" x2="{across(tick):.1f}" y2="{foot}" '
                   f'stroke="{colour}"/>')
        out.append(f'<text x="{across(tick):.1f}" y="{foot + 18}" text-anchor="middle" fill="#555">{tick}</text>')
    for index, (kernel, cells, is_sum) in enumerate(rows):
        y = TOP + ROW * index + ROW / 2
        weight = ' font-weight="bold"' if is_sum else ""
        if is_sum:
            out.append(f'<rect x="0" y="{y - ROW / 2}" width="{WIDTH}" height="{ROW}" fill="#000" opacity="0.05"/>')
        out.append(f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end"{weight} fill="#222">{escape(kernel)}</text>')
        for tool, value in cells.items():
            if value:
                colour, shape = MARKS[tool]
                tip = f"<title>{escape(results['titles'][tool])}: {number(value)}×</title>"
                out.append(f"<g>{tip}{mark(shape, across(value), y, colour)}</g>")
    return "\n".join([*out, "</svg>"]) + "\n"
