#!/usr/bin/env python3
"""Bars of the share of the machine's limit, as SVG, with XLA:CPU's share where it was measured. Standard library only.

  plot.py HISTORY > OUT.svg      the last run in a file that programs.py --history wrote
"""
import json
import sys
from xml.sax.saxutils import escape

LEFT, WIDTH, ROW, TOP = 230, 460, 20, 46
OURS, PEER, LINE, TEXT = "#2b6cb0", "#dd7711", "#bbbbbb", "#222222"


def text(x, y, words, anchor="start", size=12):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" font-size="{size}" fill="{TEXT}">{escape(words)}</text>'


def bar(row, y):
    """A bar for shardc, a tick for XLA:CPU; both end at the frame."""
    length = min(row["share"], 1.05) * WIDTH
    yield text(LEFT - 8, y + 13, row["name"], "end")
    yield f'<rect x="{LEFT}" y="{y + 3}" width="{length:.1f}" height="{ROW - 6}" fill="{OURS}"/>'
    label = f"{row['share']:.2f}"
    if "xla_seconds" in row:
        share = min(row["limit_seconds"] / row["xla_seconds"], 1.05) * WIDTH
        yield f'<rect x="{LEFT + share - 1.5:.1f}" y="{y + 1}" width="3" height="{ROW - 2}" fill="{PEER}"/>'
        label += f"   {row['xla_seconds'] / row['seconds']:.1f} x XLA"
    yield text(LEFT + WIDTH * 1.05 + 8, y + 13, label)


def draw(rows):
    rows = [row for row in rows if row.get("share")]
    height = TOP + ROW * len(rows) + 12
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 190}" height="{height}" font-family="sans-serif">',
             '<rect width="100%" height="100%" fill="white"/>']
    if rows:
        run = rows[0]
        parts.append(text(8, 16, f"Share of the machine's limit: {run['cpu']}, {run['cores']} cores, {run['date'][:10]}", size=13))
    for tenth in range(0, 11, 2):
        x = LEFT + WIDTH * tenth / 10
        parts += [f'<line x1="{x}" y1="{TOP - 6}" x2="{x}" y2="{height - 10}" stroke="{LINE}"/>', text(x, TOP - 10, f"{tenth / 10:.1f}", "middle", 11)]
    for i, row in enumerate(rows):
        parts += bar(row, TOP + ROW * i)
    return "\n".join(parts) + "\n</svg>\n"


def main():
    with open(sys.argv[1]) as history:
        rows = [json.loads(line) for line in history]
    print(draw([row for row in rows if row["date"] == rows[-1]["date"]] if rows else []), end="")


if __name__ == "__main__":
    main()
