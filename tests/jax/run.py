"""Runs files of JAX's own tests on shardc and on stock XLA:CPU, both with 8 virtual devices, and compares them test by test.

    tests/jax/run.py [--devices=8] [--cases=1] [--timeout=1800] [--only=shardc|xla] [FILE[::EXPRESSION]]...

FILE is a test file's name without .py, EXPRESSION selects tests as pytest's -k does. `./dev jax-test` calls this with a Python that has jax.

    JAX_TESTS            the folder `tests` of JAX's sources, of the version that is installed
    SHARDC_PJRT_LIBRARY  the plugin

A difference is a test that passes on XLA:CPU and not here. expected.txt lists those that are known, with the reason; the exit status is 1 when
there is another one, or when one that is listed by its whole name passes.
"""

import argparse
import fnmatch
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
DEFAULT = ["shard_alike_test", "array_test", "fft_test", "lax_numpy_einsum_test", "aot_test"]


def environment(backend, options):
    env = dict(os.environ, JAX_NUM_GENERATED_CASES=str(options.cases))
    for name in ("PJRT_NAMES_AND_LIBRARY_PATHS", "XLA_FLAGS", "JAX_PLATFORMS", "PYTHONPATH"):
        env.pop(name, None)
    if backend == "xla":
        env["JAX_PLATFORMS"] = "cpu"
        env["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={options.devices}"
    else:
        env["JAX_PLATFORMS"] = "shardc,cpu"
        env["SHARDC_NUM_DEVICES"] = str(options.devices)
        env["PYTHONPATH"] = str(HERE.parent.parent / "plugin" / "python")
    return env


def run(backend, file, expression, options):
    """Outcomes by name: passed, skipped, failed; and "crash" when the process did not end as it should."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.xml"
        command = [
            sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", "-o", "addopts=",
            "--import-mode=importlib", "--tb=line", f"--junitxml={report}", f"tests/{file}.py",
        ]  # fmt: skip
        if expression:
            command += ["-k", expression]
        tests = pathlib.Path(os.environ["JAX_TESTS"]).resolve()
        begin = time.monotonic()
        try:
            done = subprocess.run(
                command, cwd=tests.parent, env=environment(backend, options), timeout=options.timeout,
                capture_output=True, text=True, errors="replace",
            )  # fmt: skip
            output, code = done.stdout + done.stderr, done.returncode
        except subprocess.TimeoutExpired as late:
            output, code = str(late.stdout or ""), "timeout"
        outcomes = read_report(report) if report.exists() else {}
        if code not in (0, 1):
            outcomes["crash"] = "failed"
            print(f"{file} on {backend} ended with {code}:\n" + "\n".join(output.splitlines()[-25:]), flush=True)
        return outcomes, time.monotonic() - begin


def read_report(path):
    outcomes = {}
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        tags = {child.tag for child in case}
        outcome = "failed" if tags & {"failure", "error"} else "skipped" if "skipped" in tags else "passed"
        outcomes[case.get("classname", "").split(".")[-1] + "." + case.get("name", "")] = outcome
    return outcomes


def read_expected():
    rows = []
    for line in (HERE / "expected.txt").read_text().splitlines():
        text, _, reason = line.partition("#")
        if text.strip():
            rows.append((text.strip(), reason.strip()))
    return rows


def is_expected(name, rows):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern, _ in rows)


def count(outcomes):
    values = list(outcomes.values())
    return "{:5d} {:5d} {:5d}".format(*(values.count(kind) for kind in ("passed", "skipped", "failed")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--devices", type=int, default=8)
    parser.add_argument("--cases", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=1800)
    parser.add_argument("--only", choices=["shardc", "xla"])
    options = parser.parse_args()
    rows, new, table = read_expected(), [], []
    backends = [options.only] if options.only else ["shardc", "xla"]
    for argument in options.files or DEFAULT:
        file, _, expression = argument.partition("::")
        results = {backend: run(backend, file, expression, options) for backend in backends}
        for backend, (outcomes, seconds) in results.items():
            table.append(f"{argument:40} {backend:7} {count(outcomes)} {seconds:6.0f} s")
            print(table[-1], flush=True)
        if options.only == "xla":
            continue
        ours = results["shardc"][0]
        peer = results.get("xla", ({}, 0))[0]
        for name, outcome in ours.items():
            full = f"{file}::{name}"
            if outcome == "passed" and any(pattern == full for pattern, _ in rows):
                new.append(f"{full} passes: take it out of expected.txt")
            if outcome != "failed" or peer.get(name, "passed") != "passed" or is_expected(full, rows):
                continue
            new.append(f"{full} fails here, and passes on XLA:CPU")
    print("\n" + " " * 48 + "passed skipped failed\n" + "\n".join(table))
    if new:
        print("\nunexpected:\n  " + "\n  ".join(new))
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
