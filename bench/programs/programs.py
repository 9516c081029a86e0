#!/usr/bin/env python3
"""Programs beside the machine's limit and, where a Python with jax is given, beside XLA:CPU, in turns. Standard library only.

  programs.py --shardc=SHARDC --peaks=PEAKS [PROGRAM...] [--peer-python=PYTHON] [--rounds=3] [--history=FILE] [--svg=FILE]

PROGRAM: MLIR text that `shardc run` takes, with inputs that it draws itself; without one the programs of examples/, and those of
../shared/bench/programs where that folder is.

limit    the least time that the machine needs: the operations of matrix products and convolutions at the peak of the type that most of them read, or the
         bytes of arguments and results at the speed of copies, whichever takes longer. Operations are those that the plan does. Peaks are measured
         beside every program, since they change on a shared machine; the best of the run counts.
share    limit / time of shardc: 1 is the limit.
XLA      time of XLA:CPU / time of shardc, for compiling and executing: above 1 shardc is faster.

Each round runs every measurement once; the table has medians. --history appends one JSON object per program to FILE; --svg draws the table (plot.py).
"""
import argparse
import collections
import datetime
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
sys.path.insert(0, str(here.parent))
import plot  # noqa: E402

SHAPE = re.compile(r"tensor<([0-9x]*)((?:[bf]f?[0-9]+\w*|u?i[0-9]+|complex<f[0-9]+>))>")
BITS = re.compile(r"[0-9]+")


def arguments():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--shardc", required=True)
    ap.add_argument("--peaks", required=True)
    ap.add_argument("--peer-python")
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--seconds", type=float, default=0.5, help="at least, per program and round")
    ap.add_argument("--history", type=pathlib.Path)
    ap.add_argument("--svg", type=pathlib.Path)
    ap.add_argument("programs", nargs="*", type=pathlib.Path)
    args = ap.parse_args()
    if args.rounds < 1:
        ap.error("--rounds: at least 1")
    if not args.programs:
        args.programs = sorted((root / "examples").glob("*.mlir"))
        args.programs += sorted((root.parent / "shared/bench/programs").glob("*.mlir"))
    return args


def last_json(command):
    """The JSON object that the command prints last, or None and its complaint."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        return None, "more than 600 s"
    if done.returncode != 0 or not done.stdout.strip():
        return None, (done.stderr.strip().splitlines() or ["no output"])[-1]
    return json.loads(done.stdout.strip().splitlines()[-1]), None


def product_type(text):
    """The element type that most matrix products and convolutions read, as a key of the peaks."""
    found = collections.Counter()
    for line in text.splitlines():
        if "dot_general" in line or "stablehlo.convolution" in line:
            shape = SHAPE.search(line[line.rfind(": ("):])
            if shape:
                found[shape.group(2)] += 1
    kind = found.most_common(1)[0][0] if found else "f32"
    return {"f64": "f64", "bf16": "bf16", "i8": "i8", "ui8": "i8"}.get(kind, "f32")


def boundary_bytes(text):
    """Bytes of @main's arguments and results, whole."""
    main = re.search(r"func\.func (?:public )?@main\((.*?)\)\s*(?:->\s*(.*?))?\s*(?:attributes\s*\{.*?\}\s*)?\{\s*$", text, re.M | re.S)
    total = 0
    for dims, element in SHAPE.findall("".join(part or "" for part in main.groups()) if main else ""):
        count = math.prod(int(n) for n in dims.split("x") if n)
        total += count * max(int(BITS.search(element).group()) // 8, 1) * (2 if element.startswith("complex") else 1)
    return total


def operations(args, program):
    """Of all devices in one execution, as the kernels of the plan count them."""
    with tempfile.TemporaryDirectory() as folder:
        profile = pathlib.Path(folder) / "profile.json"
        measured, failed = last_json([args.shardc, "run", program, "--json", f"--profile={profile}"])
        if not measured:
            return None, failed
        steps = json.loads(profile.read_text())["steps"]
    return sum(s["flops"] * d["calls"] for s in steps if s["kind"] in ("contract", "attention") for d in s["per_device"]), None


def measure(args, program, peaks):
    text = program.read_text(errors="replace")
    flops, failed = operations(args, program)
    if failed:
        return {"name": program.stem, "failed": failed}
    ours, peers, complaint = [], [], None
    for _ in range(args.rounds):
        now = json.loads(subprocess.run([args.peaks], capture_output=True, text=True, check=True).stdout)
        for key, value in now.items():
            peaks[key] = max(peaks.get(key, 0), value)
        one, failed = last_json([args.shardc, "run", program, "--json", "--repeat=3", f"--min-time={args.seconds}"])
        if failed:
            return {"name": program.stem, "failed": failed}
        ours.append(one)
        if args.peer_python and not complaint:
            peer, complaint = last_json([args.peer_python, here / "xla.py", program, str(one["devices"]), str(args.seconds)])
            if peer:
                peers.append(peer)
    median = lambda runs, key: statistics.median(run[key] for run in runs)  # noqa: E731
    row = {"name": program.stem, "devices": ours[0]["devices"], "type": product_type(text), "operations": flops, "bytes": boundary_bytes(text),
           "seconds": median(ours, "median_s"), "compile_seconds": median(ours, "compile_s"), "peak_device_bytes": ours[0]["peak_device_bytes"]}
    if peers and not complaint:
        row |= {"xla_seconds": median(peers, "median_s"), "xla_compile_seconds": median(peers, "compile_s")}
    elif complaint:
        row["xla_failed"] = complaint
    return row


def finish(row, peaks):
    row["limit_seconds"] = max(row["operations"] / peaks[row["type"]], row["bytes"] / peaks["copy"])
    row["share"] = row["limit_seconds"] / row["seconds"]


def table(rows):
    yield f"{'program':34} {'devices':>7} {'ms':>9} {'limit ms':>9} {'share':>6} {'XLA ms':>9} {'XLA':>6} {'compile s':>10} {'XLA':>6}"
    for row in rows:
        if "failed" in row:
            yield f"{row['name']:34} failed: {row['failed']}"
            continue
        line = f"{row['name']:34} {row['devices']:7} {row['seconds'] * 1e3:9.3f} {row['limit_seconds'] * 1e3:9.3f} {row['share']:6.2f}"
        if "xla_seconds" in row:
            line += f" {row['xla_seconds'] * 1e3:9.3f} {row['xla_seconds'] / row['seconds']:6.2f} {row['compile_seconds']:10.3f}"
            line += f" {row['xla_compile_seconds'] / row['compile_seconds']:6.2f}"
        else:
            line += f" {'-':>9} {'-':>6} {row['compile_seconds']:10.3f} {'-':>6}"
        yield line


def picture(run, rows):
    """The shares of the limit as plot.py draws them."""
    series = [{"name": "shardc", "values": [row["share"] for row in rows]}]
    if any("xla_seconds" in row for row in rows):
        series.append({"name": "XLA:CPU", "values": [row["limit_seconds"] / row["xla_seconds"] if "xla_seconds" in row else None for row in rows]})
    return {"title": "Share of the machine's limit", "note": f"{run['date'][:10]}, {run['cores']} cores of an {run['cpu']}, load {run['load']}", "chart": "bars",
            "values": {"label": "share of the limit (1: as fast as the machine can)", "min": 0, "max": 1}, "rows": [row["name"] for row in rows], "series": series}


def mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def main():
    args = arguments()
    run = {"date": datetime.datetime.now().isoformat(timespec="minutes"), "cpu": cpu_name(), "cores": len(os.sched_getaffinity(0)),
           "load": round(os.getloadavg()[0], 1)}
    print(f"{run['cpu']}, {run['cores']} cores, load {run['load']}")
    peaks, rows = {}, []
    for program in args.programs:
        rows.append(measure(args, program, peaks))
        print(f"  {program.stem}", file=sys.stderr)
    good = [row for row in rows if "failed" not in row]
    for row in good:
        finish(row, peaks)
    print(*table(rows), sep="\n")
    timed = [row for row in good if row["share"] > 0]
    if timed:
        print(f"geometric mean of the share of the limit over {len(timed)} programs: {mean([row['share'] for row in timed]):.2f}")
    compared = [row for row in good if "xla_seconds" in row]
    if compared:
        print(f"geometric mean XLA:CPU / shardc over {len(compared)} programs: {mean([r['xla_seconds'] / r['seconds'] for r in compared]):.2f}")
    for row in good:
        if "xla_failed" in row:
            print(f"XLA:CPU has no figure for {row['name']}: {row['xla_failed']}")
    print("peaks of all cores: " + ", ".join(f"{key} {value / 1e9:.0f} {'GB/s' if key in ('read', 'copy') else 'GFLOP/s'}" for key, value in peaks.items()))
    rows = [run | row for row in rows]
    if args.history:
        with args.history.open("a") as history:
            history.writelines(json.dumps(row) + "\n" for row in rows)
    if args.svg:
        args.svg.write_text(plot.draw(picture(run, good)))
    return 1 if len(good) < len(rows) else 0


sys.exit(main())
