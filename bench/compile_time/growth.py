#!/usr/bin/env python3
"""What compiling costs per op, argument and byte of constants, in programs of growing size.

  growth.py [--quick] [--runs=N] [--check]

Every program is compiled up to each stage: read (`shardc check`), propagated, partitioned, and to a library without optimisation. Prints
for each size the processor's time and the peak memory, in all and per unit, both without what shardc takes for an empty program: the
least of N runs (3). The growth is how much more a unit costs than in the program of a quarter of the size.

  --quick   sizes of a sixteenth
  --check   fails where a unit's time grows by more than 1.6 or its memory by more than 1.25 from one size to the next (less than 0.2 s
            or 16 MB is not judged, nor what a library takes beside LLVM's memory), or where another stage takes more than 1.5 KB per op

SHARDC is the compiler; another build can be measured for comparison.
"""
import os
import sys
import tempfile

TIME_GROWTH, MEMORY_GROWTH, SHORTEST, BYTES_PER_OP = 1.6, 1.25, 0.2, 1536
STAGES = {
    "read": ["check"],
    "propagated": ["compile", "--emit=propagated"],
    "partitioned": ["compile", "--emit=partitioned"],
    "library": ["compile", "-O0", "--emit=so"],
}
HEAD = 'module @m attributes {mhlo.num_partitions = 4 : i32} {\n  sdy.mesh @mesh = <["x"=4]>\n'
SPLIT = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}%s]>}'


def chain(count):
    """Products, sums, constants and maxima, each of the one before."""
    kind = "tensor<8x16xf32>"
    yield HEAD + "  func.func public @main(%%a: %s %s, %%b: tensor<16x16xf32>) -> %s {\n" % (kind, SPLIT % ", {}", kind)
    last = "%a"
    for i in range(0, count, 4):
        yield ("    %%%d = stablehlo.dot_general %s, %%b, contracting_dims = [1] x [0] : (%s, tensor<16x16xf32>) -> %s\n"
               "    %%%d = stablehlo.add %%%d, %%a : %s\n"
               "    %%%d = stablehlo.constant dense<%d.0> : %s\n"
               "    %%%d = stablehlo.maximum %%%d, %%%d : %s\n" % (i, last, kind, kind, i + 1, i, kind, i + 2, i, kind, i + 3, i + 1, i + 2, kind))
        last = "%%%d" % (i + 3)
    yield "    return %s : %s\n  }\n}\n" % (last, kind)


def arguments(count):
    """As many arguments and results, with shardings, donation and names."""
    kind = "tensor<8xf32>"
    one = '%%a%d: %s {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}'
    yield HEAD + "  func.func public @main(" + ", ".join(one % (i, kind) for i in range(count))
    yield ") -> (" + ", ".join('%s {jax.result_info = "r[%d]"}' % (kind, i) for i in range(count)) + ") {\n"
    for i in range(count):
        yield "    %%%d = stablehlo.add %%a%d, %%a%d : %s\n" % (i, i, (i + 1) % count, kind)
    yield "    return " + ", ".join("%%%d" % i for i in range(count)) + " : " + ", ".join([kind] * count) + "\n  }\n}\n"


def loops(count):
    """Loops, one behind the other, in ten nested ones."""
    kind, index = "tensor<8x16xf32>", "tensor<i32>"
    yield HEAD + "  func.func public @main(%%a0: %s %s, %%n: %s) -> %s {\n" % (kind, SPLIT % ", {}", index, kind)
    depth, number = 10, 0

    def begin(source):
        nonlocal number
        number += 1
        n = number
        return n, ("    %%w%d:2 = stablehlo.while(%%i%d = %%n, %%x%d = %s) : %s, %s cond {\n"
                   "      %%c%d = stablehlo.compare LT, %%i%d, %%n : (%s, %s) -> tensor<i1>\n"
                   "      stablehlo.return %%c%d : tensor<i1>\n    } do {\n"
                   % (n, n, n, source, index, kind, n, n, index, index, n))

    def end(n, value):
        return "      stablehlo.return %%i%d, %s : %s, %s\n    }\n" % (n, value, index, kind)

    outer, source = [], "%a0"
    for _ in range(depth):
        n, text = begin(source)
        yield text
        outer.append(n)
        source = "%%x%d" % n
    for _ in range(count):
        n, text = begin(source)
        yield text + "      %%s%d = stablehlo.add %%x%d, %%a0 : %s\n" % (n, n, kind) + end(n, "%%s%d" % n)
        source = "%%w%d#1" % n
    for n in reversed(outer):
        yield end(n, source)
        source = "%%w%d#1" % n
    yield "    return %s : %s\n  }\n}\n" % (source, kind)


def constant(size):
    """One constant of so many bytes, as hexadecimal digits."""
    kind = "tensor<%dxf32>" % (size // 4)
    yield HEAD + "  func.func public @main(%%a: %s %s) -> %s {\n" % (kind, SPLIT % "", kind)
    block = "".join("%02x" % (i * 37 % 120) for i in range(4096))
    yield '    %c = stablehlo.constant dense<"0x'
    for _ in range(size // 4096):
        yield block
    yield '"> : %s\n    %%s = stablehlo.add %%a, %%c : %s\n    return %%s : %s\n  }\n}\n' % (kind, kind, kind)


# name, unit, program, sizes, the largest size of which a library is made
PROGRAMS = [
    ("chain", "op", chain, (7812, 31248, 124992, 499968), 31248),
    ("arguments", "argument", arguments, (1250, 5000, 20000), 5000),
    ("loops", "loop", loops, (1500, 6000, 24000), 0),
    ("constant", "byte", constant, (1 << 22, 1 << 24, 1 << 26), 1 << 26),
]


def run_once(command):
    """Seconds of processor time and peak memory in bytes."""
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit("bench/compile_time: failed: %s" % " ".join(command))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def measure(shardc, stage, path, out, runs):
    command = [shardc, STAGES[stage][0], path] + STAGES[stage][1:]
    if stage != "read":
        command += ["-o", out]
    results = [run_once(command) for _ in range(runs)]
    return min(seconds for seconds, _ in results), min(peak for _, peak in results)


def write(path, pieces):
    with open(path, "w") as f:
        f.writelines(pieces)


def measure_program(shardc, folder, program, options):
    """Prints a table; returns what is wrong with its growth."""
    name, unit, make, sizes, last_library = program
    wrong, before = [], {}
    for whole in sizes:
        size = whole // 16 if options["quick"] else whole
        path, out = folder + "/program.mlir", folder + "/out.so"
        write(path, make(size))
        for stage in STAGES:
            if stage == "library" and whole > last_library:
                continue
            seconds, peak = measure(shardc, stage, path, out, options["runs"])
            least_seconds, least_peak = options["empty"][stage]
            seconds, peak = max(seconds - least_seconds, 0.0), max(peak - least_peak, 1)
            line = "%-10s %8d %-12s %8.2f s %9.3f us %8.1f MB %9.1f B per %s" % (
                name, size, stage, seconds, 1e6 * seconds / size, peak / 1e6, peak / size, unit)
            if stage in before:
                old_seconds, old_peak, old_size = before[stage]
                growth, memory = (seconds / size) / max(old_seconds / old_size, 1e-12), (peak / size) / (old_peak / old_size)
                line += ", growth %.2f and %.2f" % (growth, memory)
                if old_seconds >= SHORTEST and growth > TIME_GROWTH:
                    wrong.append("%s: %s of %d: the time per %s grows by %.2f" % (name, stage, size, unit, growth))
                if stage != "library" and old_peak > 16e6 and memory > MEMORY_GROWTH:
                    wrong.append("%s: %s of %d: the memory per %s grows by %.2f" % (name, stage, size, unit, memory))
            if unit == "op" and stage != "library" and peak > 16e6 and peak / size > BYTES_PER_OP:
                wrong.append("%s: %s: %d ops take %.0f bytes per op, more than %d" % (name, stage, size, peak / size, BYTES_PER_OP))
            print(line, flush=True)
            before[stage] = (seconds, peak, size)
    return wrong


def main():
    options = {"quick": False, "runs": 3, "check": False}
    for argument in sys.argv[1:]:
        if argument in ("--quick", "--check"):
            options[argument[2:]] = True
        elif argument.startswith("--runs=") and argument[7:].isdigit() and int(argument[7:]) > 0:
            options["runs"] = int(argument[7:])
        else:
            sys.exit(__doc__)
    shardc = os.environ.get("SHARDC", "build/release/shardc")
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        write(folder + "/empty.mlir", ["func.func public @main(%a: tensor<f32>) -> tensor<f32> {\n  return %a : tensor<f32>\n}\n"])
        options["empty"] = {stage: measure(shardc, stage, folder + "/empty.mlir", folder + "/out.so", options["runs"]) for stage in STAGES}
        for program in PROGRAMS:
            wrong += measure_program(shardc, folder, program, options)
    for problem in wrong:
        print(problem)
    if options["check"]:
        print("%s: %d problems" % ("failed" if wrong else "passed", len(wrong)))
        sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
