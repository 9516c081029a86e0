#!/usr/bin/env python3
"""Unrolled transformer programs of any depth, and how long shardc takes to propagate and partition them.

  transformer.py LAYERS                   the program: StableHLO with Shardy shardings, on a mesh of 2 x 4 devices
  transformer.py --time SHARDC [LAYERS]   seconds of `SHARDC compile --emit=partitioned` for LAYERS (32) and ten times as many: the
                                          processor's time, the best of five runs
"""
import resource
import subprocess
import sys
import tempfile

BATCH, LENGTH, WIDTH, HEADS, HIDDEN, VOCABULARY = 2, 32, 256, 8, 768, 1024
HEAD = WIDTH // HEADS


def tensor(*dims, element="f32"):
    return "tensor<%s%s>" % ("".join("%dx" % d for d in dims), element)


class Writer:
    def __init__(self):
        self.lines, self.count = [], 0

    def op(self, text, type_text):
        name = "%%%d" % self.count
        self.count += 1
        self.lines.append("    %s = %s : %s" % (name, text, type_text))
        return name

    def binary(self, code, a, b, type_text):
        return self.op("stablehlo.%s %s, %s" % (code, a, b), type_text)

    def splat(self, number, *dims):
        scalar = self.op("stablehlo.constant dense<%s>" % number, tensor())
        return self.broadcast(scalar, (), dims, [])

    def broadcast(self, x, source, dims, positions):
        return self.op("stablehlo.broadcast_in_dim %s, dims = %s" % (x, positions),
                       "(%s) -> %s" % (tensor(*source), tensor(*dims)))

    def reduce(self, code, x, dims, init):
        scalar = self.op("stablehlo.constant dense<%s>" % init, tensor())
        return self.op("stablehlo.reduce(%s init: %s) applies stablehlo.%s across dimensions = [%d]" % (x, scalar, code, len(dims) - 1),
                       "(%s, %s) -> %s" % (tensor(*dims), tensor(), tensor(*dims[:-1])))

    def dot(self, a, b, dimensions, a_dims, b_dims, dims):
        return self.op("stablehlo.dot_general %s, %s, %s" % (a, b, dimensions),
                       "(%s, %s) -> %s" % (tensor(*a_dims), tensor(*b_dims), tensor(*dims)))

    def reshape(self, x, source, dims):
        return self.op("stablehlo.reshape %s" % x, "(%s) -> %s" % (tensor(*source), tensor(*dims)))

    def transpose(self, x, order, source):
        dims = [source[d] for d in order]
        return self.op("stablehlo.transpose %s, dims = %s" % (x, order), "(%s) -> %s" % (tensor(*source), tensor(*dims)))


ROWS = (BATCH, LENGTH, WIDTH)
WEIGHTS = [  # name, dims of one layer, sharding of them
    ("norm", (WIDTH,), "[{}]"),
    ("query", (WIDTH, WIDTH), '[{}, {"y"}]'), ("key", (WIDTH, WIDTH), '[{}, {"y"}]'), ("value", (WIDTH, WIDTH), '[{}, {"y"}]'),
    ("output", (WIDTH, WIDTH), '[{"y"}, {}]'),
    ("up", (WIDTH, HIDDEN), '[{}, {"y"}]'), ("gate", (WIDTH, HIDDEN), '[{}, {"y"}]'), ("down", (HIDDEN, WIDTH), '[{"y"}, {}]'),
]


def normalised(w, x, scale):
    square = w.binary("multiply", x, x, tensor(*ROWS))
    total = w.reduce("add", square, ROWS, "0.0")
    mean = w.binary("divide", total, w.splat("%d.0" % WIDTH, BATCH, LENGTH), tensor(BATCH, LENGTH))
    root = w.op("stablehlo.rsqrt %s" % mean, tensor(BATCH, LENGTH))
    unit = w.binary("multiply", x, w.broadcast(root, (BATCH, LENGTH), ROWS, [0, 1]), tensor(*ROWS))
    return w.binary("multiply", unit, w.broadcast(scale, (WIDTH,), ROWS, [2]), tensor(*ROWS))


def attention(w, x, weights):
    split, scores = (BATCH, LENGTH, HEADS, HEAD), (BATCH, HEADS, LENGTH, LENGTH)
    parts = []
    for name in ("query", "key", "value"):
        rows = w.dot(x, weights[name], "contracting_dims = [2] x [0]", ROWS, (WIDTH, WIDTH), ROWS)
        parts.append(w.reshape(rows, ROWS, split))
    s = w.dot(parts[0], parts[1], "batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3]", split, split, scores)
    largest = w.reduce("maximum", s, scores, "0xFF800000")
    s = w.binary("subtract", s, w.broadcast(largest, scores[:3], scores, [0, 1, 2]), tensor(*scores))
    s = w.op("stablehlo.exponential %s" % s, tensor(*scores))
    total = w.reduce("add", s, scores, "0.0")
    s = w.binary("divide", s, w.broadcast(total, scores[:3], scores, [0, 1, 2]), tensor(*scores))
    mixed = (BATCH, HEADS, LENGTH, HEAD)
    y = w.dot(s, parts[2], "batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1]", scores, split, mixed)
    y = w.reshape(w.transpose(y, [0, 2, 1, 3], mixed), split, ROWS)
    return w.dot(y, weights["output"], "contracting_dims = [2] x [0]", ROWS, (WIDTH, WIDTH), ROWS)


def feed_forward(w, x, weights):
    hidden = (BATCH, LENGTH, HIDDEN)
    up = w.dot(x, weights["up"], "contracting_dims = [2] x [0]", ROWS, (WIDTH, HIDDEN), hidden)
    gate = w.dot(x, weights["gate"], "contracting_dims = [2] x [0]", ROWS, (WIDTH, HIDDEN), hidden)
    gate = w.op("call @silu(%s)" % gate, "(%s) -> %s" % (tensor(*hidden), tensor(*hidden)))
    product = w.binary("multiply", up, gate, tensor(*hidden))
    return w.dot(product, weights["down"], "contracting_dims = [2] x [0]", hidden, (HIDDEN, WIDTH), ROWS)


def layer(w, x, number, layers):
    weights = {}
    for name, dims, _ in WEIGHTS:
        whole, one = (layers,) + dims, (1,) + dims
        bounds = ", ".join(["%d:%d" % (number, number + 1)] + ["0:%d" % d for d in dims])
        part = w.op("stablehlo.slice %%%s [%s]" % (name, bounds), "(%s) -> %s" % (tensor(*whole), tensor(*one)))
        weights[name] = w.reshape(part, one, dims)
    x = w.binary("add", x, attention(w, normalised(w, x, weights["norm"]), weights), tensor(*ROWS))
    return w.binary("add", x, feed_forward(w, normalised(w, x, weights["norm"]), weights), tensor(*ROWS))


def program(layers):
    def argument(name, dims, sharding):
        return "%%%s: %s {sdy.sharding = #sdy.sharding<@mesh, %s>}" % (name, tensor(*dims), sharding)
    w = Writer()
    x = "%x"
    for i in range(layers):
        x = layer(w, x, i, layers)
    logits = (BATCH, LENGTH, VOCABULARY)
    x = w.dot(x, "%embedding", "contracting_dims = [2] x [0]", ROWS, (WIDTH, VOCABULARY), logits)
    arguments = [argument("x", ROWS, '[{"x"}, {}, {}]'), argument("embedding", (WIDTH, VOCABULARY), '[{}, {"y"}]')]
    for name, dims, sharding in WEIGHTS:
        arguments.append(argument(name, (layers,) + dims, sharding.replace("[", "[{}, ", 1)))
    hidden = tensor(BATCH, LENGTH, HIDDEN)
    return "\n".join([
        'module @transformer attributes {mhlo.num_partitions = 8 : i32} {',
        '  sdy.mesh @mesh = <["x"=2, "y"=4]>',
        '  func.func public @main(%s) -> %s {' % (",\n      ".join(arguments), tensor(*logits))] + w.lines + [
        '    return %s : %s' % (x, tensor(*logits)), '  }',
        '  func.func private @silu(%%x: %s) -> %s {' % (hidden, hidden),
        '    %%0 = stablehlo.logistic %%x : %s' % hidden,
        '    %%1 = stablehlo.multiply %%x, %%0 : %s' % hidden,
        '    return %%1 : %s' % hidden, '  }', '}', ''])


def best_time(shardc, layers):
    best = None
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/program.mlir"
        with open(path, "w") as f:
            f.write(program(layers))
        for _ in range(5):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([shardc, "compile", path, "--emit=partitioned", "-o", folder + "/out.mlir"], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            best = seconds if best is None else min(best, seconds)
    return best


def main():
    if len(sys.argv) >= 3 and sys.argv[1] == "--time":
        layers = int(sys.argv[3]) if len(sys.argv) > 3 else 32
        small, large = best_time(sys.argv[2], layers), best_time(sys.argv[2], 10 * layers)
        print("%d layers %.3f s, %d layers %.3f s: %.1f times" % (layers, small, 10 * layers, large, large / small))
    elif len(sys.argv) == 2 and sys.argv[1].isdigit():
        sys.stdout.write(program(int(sys.argv[1])))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
