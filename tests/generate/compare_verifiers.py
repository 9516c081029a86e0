#!/usr/bin/env python3
"""Makes programs of one op that break one constraint, or stand at its border, and compares two verifiers: shardc's and jaxlib's.

  compare_verifiers.py --shardc build/dev/shardc --python VENV/bin/python [--with OP] [--keep FOLDER] [--list] [--untried SOURCE...]

From each valid instance (instances.py) mutants are made: every operand's, result's and region argument's type gets another element type, rank or
size; every attribute is left out or becomes one of another kind, and each of its numbers becomes -1, 0, its neighbours, the rank, a huge one, the
least and the largest one, is doubled or taken away; operands and results are added and dropped. --untried lists the diagnostics in C sources
(ir/infer/*.c ir/verify/*.c) that no program brings about. --python is an interpreter with jaxlib, which alone knows what is right; without it only
the verdicts are counted. Nothing runs this by itself: it is a tool to look for differences. Needs Python's standard library only.

The last lines: of what both say that an attribute is missing or of a wrong kind, how often the words are the same; N programs, N alike,
N accepted only by shardc, N accepted only by jaxlib, N jaxlib dies of.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import instances  # noqa: E402

HUGE = 4611686018427387904
BORDERS = [-2**63, 2**63 - 1]
KINDS = ["1 : i32", "-1 : i64", "0 : i64", '"text"', "[]", "[1]", '["a"]', "unit", "true", "dense<1> : tensor<1xi64>", "dense<1> : tensor<1x2xi32>",
         "array<i64: 1>", "array<i32: 1>", "1.0 : f32", "1.0 : f64", "@sym", "@sym::@x", "{}", "f32", "#stablehlo<fft_type RFFT>",
         "#chlo<comparison_direction EQ>", "#stablehlo<comparison_direction EQ>"]
ELEMENTS = ["i1", "i8", "ui32", "f32", "f64", "bf16", "complex<f32>", "index", "!quant.uniform<i8:f32, 0.5:1>", "!quant.uniform<i8:f64, 0.5:1>"]
# Reads programs as JSON lines, answers with the first error, or "".
WORKER = """
import json, sys
from jaxlib.mlir import ir
from jax._src.interpreters import mlir
context = mlir.make_ir_context()
context.allow_unregistered_dialects = True
with context:
    for line in sys.stdin:
        try:
            answer = "" if ir.Module.parse(json.loads(line)).operation.verify() else "refused"
        except Exception as e:
            answer = str(e) or "refused"
        print(json.dumps(answer), flush=True)
"""


def program(instance):
    op, operands, results, attributes, regions = instance
    lines = ["module {", "  func.func @main() {"]
    for i, type in enumerate(operands):
        lines.append('    %%a%d = "test.source"() : () -> %s' % (i, type))
    named = "%%r:%d = " % len(results) if results else ""
    text = '    %s"%s"(%s)' % (named, op, ", ".join("%%a%d" % i for i in range(len(operands))))
    bodies = []
    for arguments, body, returned in regions:
        head = "^bb0(%s):\n" % ", ".join("%%x%d: %s" % a for a in enumerate(arguments)) if arguments else ""
        types = ", ".join(t for _, t in returned)
        bodies.append("{\n%s%s\n      \"stablehlo.return\"(%s) : (%s) -> ()\n    }" % (
            head, "\n".join("      " + line for line in body), ", ".join(v for v, _ in returned), types))
    if bodies:
        text += " (%s)" % ", ".join(bodies)
    if attributes:
        text += " {%s}" % ", ".join("%s = %s" % a for a in attributes)
    text += " : (%s) -> (%s)" % (", ".join(operands), ", ".join(results))
    return "\n".join(lines + [text, "    return", "  }", "}"]) + "\n"


def split_tensor(type):
    match = re.fullmatch(r"tensor<((?:(?:\d+|\?)x)*)(.*)>", type)
    if not match or ", #" in type:
        return None
    return match.group(1)[:-1].split("x") if match.group(1) else [], match.group(2)


def join_tensor(dims, element):
    return "tensor<%s%s>" % ("".join(str(d) + "x" for d in dims), element)


def mutated_types(type):
    for other in ("!stablehlo.token", "tuple<tensor<f32>>", "tensor<*xf32>"):
        if type != other:
            yield other
    parts = split_tensor(type)
    if not parts:
        return
    dims, element = parts
    for other in ELEMENTS:
        if other != element:
            yield join_tensor(dims, other)
    if dims and dims[-1].isdigit() and int(dims[-1]) <= 8:
        scales = ", ".join(["0.5:1"] * int(dims[-1]))
        yield join_tensor(dims, "!quant.uniform<i8:f32:%d, {%s}>" % (len(dims) - 1, scales))
        yield join_tensor(dims, "!quant.uniform<i8:f32:%d, {%s, 0.5}>" % (len(dims) - 1, scales))
    yield join_tensor(dims + ["1"], element)
    yield join_tensor(["2"] + dims, element)
    for i in range(len(dims)):
        yield join_tensor(dims[:i] + dims[i + 1:], element)
        for size in ("?", "0", "1", str(int(dims[i]) + 1) if dims[i].isdigit() else "7"):
            if size != dims[i]:
                yield join_tensor(dims[:i] + [size] + dims[i + 1:], element)


def mutated_text(text):
    """An attribute's text with one of its numbers changed, doubled or taken away."""
    for match in re.finditer(r"(?<![\w.<!])-?\d+(?![\w.:]*[\w.]*x?[if]\d)", text):
        number, before, after = int(match.group()), text[:match.start()], text[match.end():]
        for other in sorted({-1, 0, 1, 2, 3, number - 1, number + 1, number + 2, HUGE, *BORDERS} - {number}):
            yield before + str(other) + after
        if "[" in before or "array" in before:
            yield before + "%d, %d" % (number, number) + after
            for taken in (re.sub(r",\s*$", "", before) + after, before + re.sub(r"^,\s*", "", after)):
                yield taken
    for word, others in (("true", ["false"]), ("false", ["true"]), ("NO_TRANSPOSE", ["TRANSPOSE", "TRANSPOSE_INVALID"]), ("UNIFORM", ["NORMAL"]), ("RFFT", ["FFT"])):
        if word in text:
            yield from (text.replace(word, other) for other in others)


def mutants(instance):
    op, operands, results, attributes, regions = instance
    yield "itself", instance
    for i, type in enumerate(operands):
        for other in mutated_types(type):
            yield "operand %d: %s" % (i, other), (op, operands[:i] + [other] + operands[i + 1:], results, attributes, regions)
        yield "no operand %d" % i, (op, operands[:i] + operands[i + 1:], results, attributes, regions)
    yield "one operand more", (op, operands + [operands[-1] if operands else "tensor<f32>"], results, attributes, regions)
    for i, type in enumerate(results):
        for other in mutated_types(type):
            yield "result %d: %s" % (i, other), (op, operands, results[:i] + [other] + results[i + 1:], attributes, regions)
        yield "no result %d" % i, (op, operands, results[:i] + results[i + 1:], attributes, regions)
    yield "one result more", (op, operands, results + ["tensor<f32>"], attributes, regions)
    if operands and results:  # all of one type together
        for type in sorted(set(operands)):
            for other in mutated_types(type):
                swap = lambda types: [other if t == type else t for t in types]  # noqa: E731
                changed = [(swap(a), [line.replace(type, other) for line in b], [(v, other if t == type else t) for v, t in r]) for a, b, r in regions]
                yield "%s everywhere: %s" % (type, other), (op, swap(operands), swap(results), attributes, changed)
    for i, (name, text) in enumerate(attributes):
        yield "no " + name, (op, operands, results, attributes[:i] + attributes[i + 1:], regions)
        for other in list(mutated_text(text)) + KINDS:
            if other != text:
                yield "%s = %s" % (name, other), (op, operands, results, attributes[:i] + [(name, other)] + attributes[i + 1:], regions)
    for i, (arguments, body, returned) in enumerate(regions):
        for k, type in enumerate(arguments):
            for other in mutated_types(type):
                region = (arguments[:k] + [other] + arguments[k + 1:], body, [(v, other if v == "%%x%d" % k else t) for v, t in returned])
                yield "region %d argument %d: %s" % (i, k, other), (op, operands, results, attributes, regions[:i] + [region] + regions[i + 1:])
        for region in ((arguments + ["tensor<f32>"], body, returned), (arguments, body, returned + returned[:1]), (arguments, body, [])):
            yield "region %d: %d arguments, %d results" % (i, len(region[0]), len(region[2])), (op, operands, results, attributes, regions[:i] + [region] + regions[i + 1:])
        yield "no region %d" % i, (op, operands, results, attributes, regions[:i] + regions[i + 1:])


def untried(sources, answers):
    """The diagnostics of C sources that no answer is made of."""
    said = "\n".join(answers)
    for path in sources:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for call in re.finditer(r'(?:infer_fail|fail_meshes|diag_error)\([^;"]*((?:"(?:[^"\\]|\\.)*"\s*)+)', text):
            message = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', call.group(1))).replace('\\"', '"')
            parts = re.split(r"%(?:\.\*)?(?:ll)?[a-z]", message)
            if not re.search(r"[^\n]*".join(re.escape(part) for part in parts), said):
                yield "%s:%d: %s" % (path, text.count("\n", 0, call.start()) + 1, message), False
            else:
                yield message, True


def ask_shardc(shardc, programs, folder):
    """The first error of each program, or ""."""
    answers = []
    for start in range(0, len(programs), 400):
        paths = []
        for i, (_, _, text) in enumerate(programs[start:start + 400]):
            paths.append(os.path.join(folder, "p%d.mlir" % i))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(text)
        run = subprocess.run([shardc, "check"] + paths, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        found = {}
        for line in run.stdout.splitlines():
            match = re.match(r"(PASS|FAIL|UNSUPPORTED) (\S+?p\d+\.mlir):?(.*)", line)
            if match:
                found[match.group(2)] = "" if match.group(1) == "PASS" else (match.group(3).strip() or "refused")
        answers += [found.get(path, "NO ANSWER (exit status %d)" % run.returncode) for path in paths]
    return answers


def ask_jaxlib(python, programs):
    """The first error of each program, or ""; None where jaxlib dies of it."""
    answers = []
    while len(answers) < len(programs):
        lines = "".join(json.dumps(text) + "\n" for _, _, text in programs[len(answers):])
        run = subprocess.run([python, "-c", WORKER], input=lines, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        found = [json.loads(line) for line in run.stdout.splitlines()]
        if not found and not answers and "Error" in run.stderr:
            sys.exit("compare_verifiers.py: %s: %s" % (python, run.stderr.strip().splitlines()[-1]))
        answers += found
        if len(answers) < len(programs):
            answers.append(None)
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shardc", required=True)
    parser.add_argument("--python", help="an interpreter that has jaxlib")
    parser.add_argument("--with", dest="only", default="", help="ops whose name contains this")
    parser.add_argument("--keep", help="a folder for the programs that differ")
    parser.add_argument("--list", action="store_true", help="every difference, not one of each kind")
    parser.add_argument("--untried", nargs="*", default=[], metavar="SOURCE", help="lists the diagnostics of these that nothing brings about")
    args = parser.parse_args()
    programs, seen = [], set()
    for instance in instances.instances():
        if args.only not in instance[0]:
            continue
        for what, mutant in mutants(instance):
            text = program(mutant)
            if text not in seen:
                seen.add(text)
                programs.append((instance[0], what, text))
    with tempfile.TemporaryDirectory() as folder:
        ours = ask_shardc(args.shardc, programs, folder)
    if args.untried:
        found = list(untried(args.untried, ours))
        for message, was_tried in found:
            if not was_tried:
                print("untried: " + message)
        print("%d diagnostics, %d of them brought about" % (len(found), sum(tried for _, tried in found)))
    if not args.python:
        print("%d programs, %d accepted" % (len(programs), sum(not a for a in ours)))
        return 0
    theirs = ask_jaxlib(args.python, programs)
    counts, kinds = collections.Counter(), collections.Counter()
    if args.keep:
        os.makedirs(args.keep, exist_ok=True)
    for number, ((op, what, text), mine, other) in enumerate(zip(programs, ours, theirs)):
        if other is None:
            counts["died"] += 1
            continue
        if what == "itself" and (mine or other):
            print("INSTANCE %s: shardc: %s; jaxlib: %s" % (op, mine or "accepted", (other or "accepted").replace("\n", " ")[:300]))
        kind = "alike" if bool(mine) == bool(other) else "accepted only by jaxlib" if mine else "accepted only by shardc"
        counts[kind] += 1
        if kind == "alike":
            words = re.search(r"'\S+' op (?:requires attribute|attribute '\S+' failed to satisfy).*", other)
            if mine and words:
                counts["words alike" if words.group() in mine else "other words"] += 1
            continue
        message = re.sub(r"'[^']*'|-?\d+", "_", mine or re.sub(r"(?s).*?error: ", "", other, count=1))[:80]
        kinds[(op, kind, message)] += 1
        if args.list or kinds[(op, kind, message)] == 1:
            print("%s: %s (%s): %s" % (kind, op, what, (mine or re.sub(r'(?s).*?error: "-":', "", other, count=1)).replace("\n", " ")[:220]))
        if args.keep:
            with open(os.path.join(args.keep, "%05d.mlir" % number), "w", encoding="utf-8") as file:
                file.write("// %s: %s (%s)\n%s" % (kind, op, what, text))
    print("attributes: %d messages with the same words, %d with others" % (counts["words alike"], counts["other words"]))
    print("%d programs, %d alike, %d accepted only by shardc, %d accepted only by jaxlib, %d jaxlib dies of" % (
        len(programs), counts["alike"], counts["accepted only by shardc"], counts["accepted only by jaxlib"], counts["died"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
