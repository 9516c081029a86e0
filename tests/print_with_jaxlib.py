#!/usr/bin/env python3
"""What MLIR's own parser and printer make of our text. Optional: needs a Python with jaxlib; nothing else of the project does.

  print_with_jaxlib.py [--opt build/release/shardc-opt] FILE...

Every section (cut at `// -----`) that both jaxlib and shardc-opt accept is printed by jaxlib, and, in both forms, by shardc-opt. jaxlib
must read ours as the same module. Ops of StableHLO's test dialects (check, interpreter), which jaxlib lacks, are left out with
their lines, and sections with what we print otherwise on purpose: arith.constant is stablehlo's, dense_resource is dense. The last line counts: `same` are sections that jaxlib reads as the same, `equal` those whose pretty form is jaxlib's letter
by letter.
"""
import argparse
import difflib
import re
import subprocess
import sys

from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib.mlir import ir

TEST_OPS = re.compile(r'^\s*(%\S+\s*=\s*)?"?(check|interpreter)\..*\n', re.M)


def sections(path):
    with open(path, encoding="utf-8") as file:
        text = file.read().split("// ---- expect")[0]
    for number, section in enumerate(re.split(r"^// -----.*$", text, flags=re.M)):
        if section.strip():
            yield "%s#%d" % (path, number), TEST_OPS.sub("", section)


def read(context, text):
    """jaxlib's pretty form of the text; None when it refuses it."""
    with context:
        try:
            return ir.Module.parse(text).operation.get_asm()
        except Exception:
            return None


def ours(opt, text, *flags):
    command = [opt, "-", "--allow-unregistered-dialect", *flags]
    run = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)
    return run.stdout if run.returncode == 0 else None


def first_difference(expected, actual):
    lines = difflib.unified_diff(expected.splitlines(), actual.splitlines(), lineterm="", n=0)
    return "\n".join(line[:200] for line in list(lines)[2:6])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt", default="build/release/shardc-opt")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    context = jax_mlir.make_ir_context()
    context.allow_unregistered_dialects = True
    same = equal = failed = left_out = 0
    for path in arguments.files:
        for name, text in sections(path):
            expected = read(context, text)
            pretty = ours(arguments.opt, text)
            if expected is None or pretty is None or "arith.constant" in text or "dense_resource" in text:
                left_out += 1
                continue
            generic = ours(arguments.opt, text, "--mlir-print-op-generic")
            for form, printed in (("pretty", pretty), ("generic", generic)):
                again = read(context, printed or "")
                if again == expected:
                    continue
                print("FAIL %s: %s form: %s" % (name, form, "refused" if again is None else first_difference(expected, again)))
                failed += 1
                break
            else:
                same += 1
            equal += pretty.strip() == expected.strip()
    print("%d same, %d equal, %d failed, %d left out" % (same, equal, failed, left_out))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
