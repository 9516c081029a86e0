#!/usr/bin/env python3
"""Measures what the pictures of docs/performance.md show. Standard library only.

  pictures.py --shardc=SHARDC [NAME...] [--rounds=5] [--draw]

NAME: a picture of ideas.py. Every program of a picture runs once in each round, on one thread unless the picture says otherwise; the least processor
time of an execution in all rounds counts, so that a busy machine does not matter much. --draw measures nothing and draws every docs/performance/*.json once more.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import ideas  # noqa: E402
import plot  # noqa: E402

FOLDER = here.parent.parent / "docs/performance"


class Machine:
    """Runs programs in turns."""

    def __init__(self, shardc, rounds):
        self.shardc, self.rounds = shardc, rounds

    def least(self, programs, options=(), threads=1, seconds=0.2):
        """The least seconds of each program. programs: {name: text}; options: of compile, or {name: options}."""
        with tempfile.TemporaryDirectory() as folder:
            libraries = {}
            for i, (name, text) in enumerate(programs.items()):
                path = pathlib.Path(folder) / f"p{i}.mlir"
                path.write_text(text)
                libraries[name] = path.with_suffix(".so")
                more = options.get(name, ()) if isinstance(options, dict) else options
                self.call("compile", path, "-o", libraries[name], *more)
            best = {}
            for _ in range(self.rounds):
                for name, library in libraries.items():
                    run = self.call("run", library, "--json", "--repeat=3", f"--min-time={seconds}", f"--threads={threads}")
                    least = min(run["cpu_s"], run["min_s"]) if threads == 1 else run["min_s"]
                    best[name] = min(best.get(name, least), least)
            return best

    def call(self, *command):
        done = subprocess.run([self.shardc, *map(str, command)], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"pictures: {' '.join(map(str, command))}: {done.stderr.strip()}")
        lines = done.stdout.strip().splitlines()
        return json.loads(lines[-1]) if lines and lines[-1].startswith("{") else None


def short(value):
    """Three digits are more than the measurement has."""
    if isinstance(value, float):
        return float(f"{value:.3g}")
    if isinstance(value, dict):
        return {key: short(one) for key, one in value.items()}
    return [short(one) for one in value] if isinstance(value, (list, tuple)) else value


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown CPU"


def measured(threads, rounds):
    one = "one thread" if threads == 1 else f"{threads} threads"
    return f"{datetime.date.today()}, {cpu_name()}, {one}, the least processor time of {rounds} rounds in turns, load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores."


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--shardc", required=True)
    ap.add_argument("--rounds", type=int, default=5)
    ap.add_argument("--draw", action="store_true")
    ap.add_argument("names", nargs="*", metavar="NAME", help=", ".join(ideas.ALL))
    args = ap.parse_args()
    for name in args.names:
        if name not in ideas.ALL:
            ap.error(f"no picture is called '{name}'; there are {', '.join(ideas.ALL)}")
    machine = Machine(args.shardc, args.rounds)
    for name in [] if args.draw else args.names or ideas.ALL:
        picture = ideas.ALL[name](machine)
        picture["note"] = f"{measured(picture.pop('threads', 1), args.rounds)} {picture['note']}"
        (FOLDER / f"{name}.json").write_text(json.dumps(short(picture), indent=1) + "\n")
        print(f"{name}: measured", file=sys.stderr)
    for path in sorted(FOLDER.glob("*.json")):
        path.with_suffix(".svg").write_text(plot.draw(json.loads(path.read_text())))


if __name__ == "__main__":
    main()
