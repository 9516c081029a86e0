"""Everyday JAX functions on shardc and on jaxlib's own CPU client, in turns in one process. Where shardc is slower, something general is missing.

    SHARDC_PJRT_LIBRARY=build/release/libshardc_pjrt.so PYTHONPATH=plugin/python python bench/jax/everyday.py [REGEX]      (a Python with jax)

A line per function whose name the regular expression finds (everyday_programs.py): milliseconds of both, medians of rounds in turns; the speed in
relation to jaxlib's; the largest difference in relation to the largest number; the seconds of the first call. Both clients keep threads, and what one
leaves in the caches is the other's loss: differences of a tenth say nothing.
"""

import os
import re
import sys
import time

os.environ.update(JAX_PLATFORMS="shardc,cpu", SHARDC_NUM_DEVICES="1")

import jax  # noqa: E402
import numpy as np  # noqa: E402
from everyday_programs import PROGRAMS, make  # noqa: E402

BACKENDS = {name: jax.devices(name)[0] for name in ("shardc", "cpu")}
SECONDS, LEAST_ROUNDS, MOST_ROUNDS, CALLS = 1.5, 3, 60, 3


def difference(ours, theirs):
    """The largest of all results; of whole numbers and booleans the share that differs."""
    most = 0.0
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs)):
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype.kind in "iub":
            most = max(most, float(np.mean(a != b)) if a.size else 0.0)
            continue
        wide = np.complex128 if a.dtype.kind == "c" else np.float64
        a, b = a.astype(wide), b.astype(wide)
        scale = np.max(np.abs(b[np.isfinite(b)]), initial=1e-30)
        most = max(most, float(np.max(np.nan_to_num(np.abs(a - b) / scale), initial=0)))
    return most


def time_calls(run, arrays):
    """Seconds of a call behind another one: threads are awake, and the caches are its own."""
    jax.block_until_ready(run(*arrays))
    begin = time.perf_counter()
    for _ in range(CALLS):
        jax.block_until_ready(run(*arrays))
    return (time.perf_counter() - begin) / CALLS


def measure(function, specifications):
    """Medians in milliseconds and seconds of the first call, by backend, and the difference of their results."""
    host = [make(array, seed) for seed, array in enumerate(specifications)]
    runs, first, results = {}, {}, {}
    for name, device in BACKENDS.items():
        arrays, run = [jax.device_put(x, device) for x in host], jax.jit(function)
        with jax.default_device(device):
            begin = time.perf_counter()
            results[name] = jax.block_until_ready(run(*arrays))
            first[name] = time.perf_counter() - begin
        runs[name] = (run, arrays, device)
    times, spent = {name: [] for name in BACKENDS}, 0.0
    while len(times["cpu"]) < LEAST_ROUNDS or (spent < SECONDS and len(times["cpu"]) < MOST_ROUNDS):
        for name, (run, arrays, device) in runs.items():
            with jax.default_device(device):
                times[name].append(time_calls(run, arrays))
            spent += times[name][-1] * (CALLS + 1)
    return {name: 1e3 * float(np.median(rows)) for name, rows in times.items()}, first, difference(results["shardc"], results["cpu"])


def main():
    pattern, speeds = re.compile(sys.argv[1] if len(sys.argv) > 1 else ""), []
    for name, function, specifications in PROGRAMS:
        if not pattern.search(name):
            continue
        try:
            medians, first, differs = measure(function, specifications)
        except Exception as error:  # what is not supported is a line, too
            print("%-24s %s" % (name, str(error).splitlines()[0][:120]), flush=True)
            continue
        speeds.append((medians["cpu"] / medians["shardc"], name))
        print(
            "%-24s shardc %9.3f  jaxlib %9.3f  speed %6.2f  differs %.0e  first call %.2f %.2f"
            % (name, medians["shardc"], medians["cpu"], speeds[-1][0], differs, first["shardc"], first["cpu"]),
            flush=True,
        )
    if speeds:
        print("slower: " + (", ".join("%s %.2f" % (name, speed) for speed, name in sorted(speeds) if speed < 0.9) or "none"))
        print("geometric mean of the speeds of %d: %.2f" % (len(speeds), np.exp(np.mean([np.log(speed) for speed, _ in speeds]))))


if __name__ == "__main__":
    main()
