#!/usr/bin/env python3
"""Draws a picture of measurements as SVG, for light and dark pages. Standard library only.

  plot.py FILE.json...      writes FILE.svg beside each

A picture is a JSON object:

  title, note     above and below the chart; the note says how it was measured
  chart           "bars": rows of names, a bar for the first series and a tick for each other one; "lines": a line per series
  rows            bars: names
  values          bars: the axis, {"label": text with the unit, "scale": "linear" or "log", "min": number, "max": number}; all but the label may be absent
  x, y            lines: the same for each axis
  series          [{"name": text, "values": [number or null per row]}], for lines [{"name": text, "points": [[x, y]...], "dashed": bool}]
"""
import json
import math
import pathlib
import sys
from xml.sax.saxutils import escape

WIDTH, RIGHT, HEIGHT, ROW, LINE = 760, 24, 300, 18, 15
LETTER = 7  # of the body's size, on average
LIGHT = {"page": "#ffffff", "ink": "#1f2328", "grid": "#d1d9e0", "series": ["#1f6feb", "#d1570a", "#1a7f37", "#a333c8", "#7d6b00"]}
DARK = {"page": "#0d1117", "ink": "#e6edf3", "grid": "#30363d", "series": ["#58a6ff", "#ff9b4a", "#56d364", "#d2a8ff", "#e3c84a"]}


def style():
    def rules(colours):
        yield f".page{{fill:{colours['page']}}}.ink{{fill:{colours['ink']}}}.grid{{stroke:{colours['grid']}}}.tick{{stroke:{colours['page']}}}"
        for i, colour in enumerate(colours["series"]):
            yield f".f{i}{{fill:{colour}}}.s{i}{{stroke:{colour};fill:none;stroke-width:2}}"
    return f"<style>{''.join(rules(LIGHT))}@media (prefers-color-scheme:dark){{{''.join(rules(DARK))}}}</style>"


def text(x, y, words, anchor="start", size=12, turned=False):
    turn = f' transform="rotate(-90 {x:.0f} {y:.0f})"' if turned else ""
    return f'<text class="ink" x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" font-size="{size}"{turn}>{escape(words)}</text>'


def line(x1, y1, x2, y2, kind="grid", dashed=False):
    dash = ' stroke-dasharray="6 4"' if dashed else ""
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"{dash}/>'


def number(value):
    """As short as it can be read: 1.25, 40, 0.006, 2 k."""
    if value and abs(value) < 1:
        return f"{value:.2g}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


class Axis:
    """Maps values to places from `begin` to `end`."""

    def __init__(self, given, values, begin, end):
        self.log, self.begin, self.end = given.get("scale") == "log", begin, end
        self.low = given.get("min", min(values) if self.log else 0)
        self.high = given.get("max", max(values))
        if not self.log:
            step = self.step()
            self.high = given.get("max", step * math.ceil(self.high / step - 1e-9))

    def step(self):
        rough = (self.high - self.low or 1) / 6
        size = 10.0 ** math.floor(math.log10(rough))
        return next(size * n for n in (1, 2, 2.5, 5, 10) if size * n >= rough)

    def place(self, value):
        f = math.log if self.log else float
        value = min(max(value, self.low), self.high)
        share = (f(value) - f(self.low)) / ((f(self.high) - f(self.low)) or 1)
        return self.begin + share * (self.end - self.begin)

    def ticks(self):
        if not self.log:
            step = self.step()
            return [self.low + step * i for i in range(int((self.high - self.low) / step + 1e-9) + 1)]
        decades = math.log10(self.high / self.low)
        factors = (1, 2, 5) if decades < 2.5 else (1, 3) if decades < 3.5 else (1,)
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        found = [factor * 10.0**e for e in range(first, last + 1) for factor in factors]
        return [value for value in found if self.low * 0.999 <= value <= self.high * 1.001]


def wrapped(words, letters):
    lines = [""]
    for word in words.split():
        if len(lines[-1]) + len(word) >= letters:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def legend(series, y, ticks):
    """Names of the series in one line: a square for a bar, a tick or a line for the others."""
    x = 14.0
    for i, one in enumerate(series):
        if ticks and i:
            yield f'<rect class="f{i}" x="{x + 5:.0f}" y="{y - 11:.0f}" width="4" height="14"/>'
        elif ticks:
            yield f'<rect class="f{i}" x="{x:.0f}" y="{y - 9:.0f}" width="14" height="10"/>'
        else:
            yield line(x, y - 4, x + 14, y - 4, f"s{i}", one.get("dashed", False))
        yield text(x + 20, y, one["name"])
        x += 20 + LETTER * len(one["name"]) + 22


def bars(picture, top):
    rows, series = picture["rows"], picture["series"]
    values = [value for one in series for value in one["values"] if value]
    left = 14 + LETTER * max(map(len, rows)) + 8
    axis = Axis(picture["values"], values, left, WIDTH - RIGHT - 46)
    bottom = top + ROW * len(rows) + 4
    for tick in axis.ticks():
        yield line(axis.place(tick), top, axis.place(tick), bottom)
        yield text(axis.place(tick), bottom + 14, number(tick), "middle", 11)
    yield text((axis.begin + axis.end) / 2, bottom + 30, picture["values"]["label"], "middle")
    for i, name in enumerate(rows):
        y = top + ROW * i + 4
        yield text(left - 8, y + 10, name, "end")
        for s, one in reversed(list(enumerate(series))):
            value = one["values"][i]
            if not value:
                continue
            x = axis.place(value)
            if s == 0:
                yield f'<rect class="f0" x="{left:.0f}" y="{y + 1:.0f}" width="{max(x - left, 0.5):.1f}" height="{ROW - 6}"/>'
                yield text(WIDTH - RIGHT - 38, y + 10, number(value), size=11)
        for s, one in list(enumerate(series))[1:]:
            if one["values"][i]:
                yield f'<rect class="tick f{s}" x="{axis.place(one["values"][i]) - 2.5:.1f}" y="{y - 1:.0f}" width="5" height="{ROW - 2}"/>'
    return bottom + 36


def lines(picture, top):
    series = picture["series"]
    left, bottom = 74, top + HEIGHT
    xs = Axis(picture["x"], [x for one in series for x, _ in one["points"]], left, WIDTH - RIGHT)
    ys = Axis(picture["y"], [y for one in series for _, y in one["points"]], bottom, top)
    for tick in ys.ticks():
        yield line(left, ys.place(tick), WIDTH - RIGHT, ys.place(tick))
        yield text(left - 8, ys.place(tick) + 4, number(tick), "end", 11)
    for tick in picture["x"].get("ticks") or xs.ticks():
        yield line(xs.place(tick), top, xs.place(tick), bottom)
        yield text(xs.place(tick), bottom + 14, number(tick), "middle", 11)
    yield text((left + WIDTH - RIGHT) / 2, bottom + 30, picture["x"]["label"], "middle")
    yield text(18, (top + bottom) / 2, picture["y"]["label"], "middle", turned=True)
    for s, one in reversed(list(enumerate(series))):
        places = [(xs.place(x), ys.place(y)) for x, y in one["points"]]
        dash = ' stroke-dasharray="6 4"' if one.get("dashed") else ""
        yield f'<polyline class="s{s}"{dash} points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}"/>'
        if not one.get("dashed"):
            yield from (f'<circle class="f{s}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places)
    return bottom + 36


def draw(picture):
    """The SVG's text."""
    body = [text(14, 24, picture["title"], size=15), *legend(picture["series"], 46, picture["chart"] == "bars")]
    chart = {"bars": bars, "lines": lines}[picture["chart"]](picture, 62)
    while True:
        try:
            body.append(next(chart))
        except StopIteration as end:
            bottom = end.value
            break
    for words in wrapped(picture["note"], int((WIDTH - 28) / 5.6)):
        bottom += LINE
        body.append(text(14, bottom, words, size=11))
    height = f"{bottom + 12:.0f}"
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" role="img">'
            f"<title>{escape(picture['title'])}</title>")
    return "\n".join([head, style(), '<rect class="page" width="100%" height="100%" rx="6"/>', *body, "</svg>", ""])


def main():
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        path.with_suffix(".svg").write_text(draw(json.loads(path.read_text())))


if __name__ == "__main__":
    main()
