#!/usr/bin/env python3
"""Check shardc's notations of shardings against a table of what XLA, JAX and PyTorch/XLA make of them. Standard library only.

  gspmd_table.py --shardc build/shardc TABLE.json

Every row with a mesh: Shardy's text gives V1, V2, PartitionSpec and the tile of each device; V1 and V2 give the same tiles, and, on the row's mesh, Shardy's text
again; without a mesh the coarsest one. Every row of kind text: accepted or refused, canonical text, V2, the imported sharding. Last line: N passed, N failed.
"""
import argparse
import json
import subprocess
import sys

ap = argparse.ArgumentParser()
ap.add_argument("--shardc", required=True)
ap.add_argument("table")
args = ap.parse_args()
TILE = 4  # elements in a tile, in each dimension


def inspect(text, rank, shape=None, mesh=None):
    command = [args.shardc, "inspect", f"--sharding={text}", "--json"]
    if shape is not None:
        command.append("--shape=" + ("x".join(map(str, shape)) if rank else "scalar"))
    if mesh:
        command.append(f"--mesh={mesh}")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, json.loads(done.stdout) if done.returncode == 0 else done.stderr


def want(problems, what, got, expected):
    if got != expected:
        problems.append(f"{what}: {got!r}, expected {expected!r}")


def without_name(sdy):
    return sdy and sdy.replace("@mesh, ", "")


def check_named(row):
    problems = []
    tiles, rank, mesh = row["tile_of_device"], row["rank"], row["mesh"]["sdy"]
    counts = [max(t[d] for t in tiles) + 1 for d in range(rank)]
    shape = [TILE * c for c in counts]
    expected = [[[t[d] * TILE, (t[d] + 1) * TILE] for d in range(rank)] for t in tiles]
    rc, out = inspect(row["sdy"], rank, shape, mesh)
    if rc:
        return [out]
    want(problems, "mesh", out["mesh"], mesh)
    want(problems, "sdy", out["sdy"], row["sdy"])
    want(problems, "v1", out["v1"], row["v1"])
    want(problems, "v2", out["v2"], row["v2"])
    want(problems, "tiles", out["tiles"], expected)
    if row.get("spec") is not None:
        want(problems, "spec", out["spec"], row["partition_spec"])
    has_unit_axis = any(size == 1 for _, size in row["mesh"]["axes"])
    for form in ("v1", "v2"):
        if not row[form]:
            continue
        rc, out = inspect(row[form], rank, shape, mesh)
        if rc:
            problems.append(out)
            continue
        want(problems, form + " tiles", out["tiles"], expected)
        want(problems, form + " v1", out["v1"], row["v1"])
        if row["v2"]:
            want(problems, form + " v2", out["v2"], row["v2"])
        if not has_unit_axis and "replicated=" not in row["sdy"]:
            want(problems, form + " sdy", out["sdy"], row["sdy"])
        rc, out = inspect(row[form], rank, shape)
        if rc:
            problems.append(out)
            continue
        if "import" in row:
            want(problems, form + " import", out["sdy"], row["import"]["sdy"])
            want(problems, form + " imported mesh", out["mesh"], row["import"]["mesh"])
        if out["tiles"] is not None:
            want(problems, form + " imported tiles", out["tiles"], expected)
    return problems


def check_text(row):
    problems = []
    rc, out = inspect(row["text"], row["rank"])
    if row["expect"] == "reject":
        return [] if rc == 1 else [f"accepted: {out}"]
    if rc:
        return [out]
    if row["text"] == "{}":
        return problems
    canonical = row["xla"]["canonical"]
    is_iota = "<=" in canonical
    want(problems, "canonical", out["v2" if is_iota else "v1"], canonical)
    if row.get("v2"):
        want(problems, "v2", out["v2"], row["v2"])
    if row["expect"] == "device_ids_mesh_or_reject":
        want(problems, "v2", out["v2"], None)
        if not out["mesh"] or "device_ids" not in out["mesh"]:
            problems.append("no mesh with device ids")
    if "import" in row:
        unreduced = "unreduced" in row["import"].get("subgroups", [])
        want(problems, "imported mesh", out["mesh"], row["import"]["mesh"])
        sdy = out["sdy"].split(", unreduced=")[0] + ">" if unreduced else out["sdy"]
        want(problems, "import", sdy, row["import"]["sdy"])
    return problems


passed = failed = 0
for row in json.load(open(args.table))["rows"]:
    problems = check_text(row) if row["kind"] == "text" else check_named(row)
    passed, failed = passed + (not problems), failed + bool(problems)
    if problems:
        print(f"FAIL {row['id']} {row.get('sdy') or row['text']}: " + "; ".join(p.strip() for p in problems))
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
