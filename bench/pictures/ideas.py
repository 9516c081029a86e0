"""The ideas of the code generator that have a picture: for each a function from a machine (pictures.py) to a picture (plot.py)."""


def tensor(*shape):
    return f"tensor<{'x'.join(map(str, shape))}>"


class Function:
    """The text of a function of one block."""

    def __init__(self, *arguments):
        self.types, self.ops = {f"%a{i}": kind for i, kind in enumerate(arguments)}, {}

    def add(self, text, result, operands=(), is_index=False):
        name = f"%v{len(self.ops)}"
        self.ops[name] = (f"{name} = stablehlo.{text}", operands, is_index)
        self.types[name] = result
        return name

    def op(self, text, result, *operands):
        kinds = ", ".join(self.types[operand] for operand in operands)
        return self.add(f"{text} {', '.join(operands)} : ({kinds}) -> {result}", result, operands)

    def dot(self, x, y, result, how):
        return self.add(f"dot_general {x}, {y}, {how} : ({self.types[x]}, {self.types[y]}) -> {result}", result, (x, y))

    def elementwise(self, name, *operands):
        return self.op(name, self.types[operands[0]], *operands)

    def constant(self, value, kind):
        return self.add(f"constant dense<{value}> : {kind}", kind, is_index=True)

    def iota(self, dim, kind):
        return self.add(f"iota dim = {dim} : {kind}", kind, is_index=True)

    def broadcast(self, x, result, dims):
        return self.add(f"broadcast_in_dim {x}, dims = {list(dims)} : ({self.types[x]}) -> {result}", result, (x,), is_index=True)

    def fold(self, name, x, shape, element):
        """Of the last dimension."""
        start = self.constant({"add": "0.0", "maximum": "0xFF80" if element == "bf16" else "0xFF800000"}[name], tensor(element))
        result = tensor(*shape[:-1], element)
        return self.add(f"reduce({x} init: {start}) applies stablehlo.{name} across dimensions = [{len(shape) - 1}] : ({self.types[x]}, {tensor(element)}) -> {result}",
                        result, (x, start))

    def text(self, result):
        return self.program([op for op, _, _ in self.ops.values()], [name for name in self.types if name not in self.ops], result)

    def program(self, lines, arguments, result):
        body = "\n  ".join(lines)
        head = ", ".join(f"{name}: {self.types[name]}" for name in arguments)
        return f"func.func @main({head}) -> {self.types[result]} {{\n  {body}\n  return {result} : {self.types[result]}\n}}\n"

    def apart(self):
        """A program for each op, which reads its operands from memory; constants, numbers and broadcasts are no ops here."""
        for name, (line, operands, is_index) in self.ops.items():
            if is_index:
                continue
            lines, arguments, pending = [line], [], list(operands)
            while pending:
                operand = pending.pop()
                if operand in self.ops and self.ops[operand][2]:
                    lines = [self.ops[operand][0]] + [line for line in lines if line != self.ops[operand][0]]
                    pending += self.ops[operand][1]
                elif operand not in arguments:
                    arguments.append(operand)
            yield self.program(lines, arguments, name)


def softmax(f, x, shape, element):
    kind, dims = tensor(*shape, element), range(len(shape) - 1)
    top = f.broadcast(f.fold("maximum", x, shape, element), kind, dims)
    weights = f.elementwise("exponential", f.elementwise("subtract", x, top))
    return f.elementwise("divide", weights, f.broadcast(f.fold("add", weights, shape, element), kind, dims))


def norm(f, x, shape, element):
    kind, count = tensor(*shape, element), f.constant(f"{shape[-1]}.0", tensor(shape[0], element))
    mean = f.broadcast(f.elementwise("divide", f.fold("add", x, shape, element), count), kind, [0])
    centred = f.elementwise("subtract", x, mean)
    variance = f.elementwise("divide", f.fold("add", f.elementwise("multiply", centred, centred), shape, element), count)
    return f.elementwise("multiply", centred, f.broadcast(f.elementwise("rsqrt", variance), kind, [0]))


def beside_apart(machine, functions, others=()):
    """Least seconds of each function {name: (function, result)}, and the sum of those of its ops as programs of their own; others run whole alone."""
    programs = {(name, None): function.text(result) for name, (function, result) in dict(others).items()}
    for name, (function, result) in functions.items():
        programs[name, None] = function.text(result)
        programs |= {(name, i): text for i, text in enumerate(function.apart())}
    best = machine.least(programs)
    return {name: best[name, part] for name, part in best if part is None}, {name: sum(best[key] for key in best if key[0] == name and key[1] is not None) for name in functions}


def rows(machine):
    """Kernels of rows, beside their ops one by one."""
    shape = (2048, 4096)
    math = {
        "softmax, f32": lambda f: softmax(f, "%a0", shape, "f32"),
        "softmax, bf16": lambda f: softmax(f, "%a0", shape, "bf16"),
        "norm, f32": lambda f: norm(f, "%a0", shape, "f32"),
        "norm, tanh and softmax, f32": lambda f: softmax(f, f.elementwise("tanh", norm(f, "%a0", shape, "f32")), shape, "f32"),
        "negate, f32": lambda f: f.elementwise("negate", "%a0"),
    }
    functions = {}
    for name, body in math.items():
        f = Function(tensor(*shape, "bf16" if "bf16" in name else "f32"))
        functions[name] = f, body(f)
    whole, apart = beside_apart(machine, functions)
    return {"title": "A row is read once: arrays of 2048 x 4096", "chart": "bars", "values": {"label": "milliseconds"}, "rows": list(math),
            "note": "One by one: each op as a program that reads its operands from memory, times added. A negation is what reading and writing the array takes.",
            "series": [{"name": "one kernel", "values": [whole[name] * 1e3 for name in math]},
                       {"name": "its ops one by one", "values": [apart[name] * 1e3 for name in math]}]}


def products(machine):
    """Square products over their size."""
    sizes = [16, 32, 64, 128, 256, 512, 1024, 2048]
    programs, options = {}, {}
    for element in ("f32", "bf16"):
        for n in sizes:
            f = Function(*[tensor(n, n, element)] * 2)
            programs[element, n] = f.text(f.dot("%a0", "%a1", tensor(n, n, element), "contracting_dims = [1] x [0]"))
    for n in sizes[:6]:
        programs["loops", n] = programs["f32", n]
        options["loops", n] = ["--reference-kernels"]
    best = machine.least(programs, options)
    names = {"f32": "f32", "bf16": "bf16", "loops": "f32, plain loops (--reference-kernels)"}
    return {"title": "A product runs from registers: [n, n] times [n, n]", "chart": "lines", "note": "A call of a compiled program included.",
            "x": {"label": "n", "scale": "log", "ticks": sizes}, "y": {"label": "GFLOP/s"},
            "series": [{"name": name, "points": [(n, 2e-9 * n**3 / best[kind, n]) for n in sizes if (kind, n) in best]} for kind, name in names.items()]}


HEADS, DEPTH = 8, 64


def attention_of(length, causal):
    kind, shape = tensor(HEADS, length, DEPTH, "f32"), (HEADS, length, length)
    square = tensor(*shape, "f32")
    f = Function(kind, kind, kind)
    scores = f.dot("%a0", "%a1", square, "batching_dims = [0] x [0], contracting_dims = [2] x [2]")
    scores = f.elementwise("multiply", scores, f.constant("0.125", square))
    if causal:
        numbers, bits = tensor(*shape, "i32"), tensor(*shape, "i1")
        query, key = f.iota(1, numbers), f.iota(2, numbers)
        mask = f.add(f"compare GE, {query}, {key}, SIGNED : ({numbers}, {numbers}) -> {bits}", bits, (query, key), is_index=True)
        low = f.constant("-1.0e30", square)
        scores = f.op("select", square, mask, scores, low)
    weights = softmax(f, scores, shape, "f32")
    return f, f.dot(weights, "%a2", kind, "batching_dims = [0] x [0], contracting_dims = [2] x [1]")


def attention(machine):
    """Over the number of positions, beside stored scores and weights."""
    lengths = [64, 128, 256, 512, 1024]
    of = {causal: {(causal, n): attention_of(n, causal) for n in lengths} for causal in (True, False)}
    whole, apart = beside_apart(machine, of[True], of[False])
    series = {"causal, one kernel": (whole, True), "all keys, one kernel": (whole, False), "causal, its ops one by one": (apart, True)}
    return {"title": f"Attention streams over its keys: {HEADS} heads of {DEPTH} columns, f32", "chart": "lines",
            "note": "Divided by heads and the square of the positions. One by one: each op as a program that reads its operands from memory, times added.",
            "x": {"label": "positions", "scale": "log", "ticks": lengths}, "y": {"label": "ns per query and key"},
            "series": [{"name": name, "points": [(n, of[causal, n] * 1e9 / (HEADS * n * n)) for n in lengths]} for name, (of, causal) in series.items()]}


def on_devices(devices, body):
    """A program with one mesh axis."""
    return f'module {{\n  sdy.mesh @mesh = <["x"={devices}]>\n  {body}\n}}\n'


def sharded(kind, *axes):
    dims = ", ".join(f'{{"{axis}"}}' if axis else "{}" for axis in axes)
    return f"{kind} {{sdy.sharding = #sdy.sharding<@mesh, [{dims}]>}}"


def devices(machine):
    """What a small program costs over the number of devices."""
    counts = [1, 2, 4, 8, 16, 32]
    elementwise = "%0 = stablehlo.add %a, %a : tensor<32x8xf32>\n  return %0 : tensor<32x8xf32>"
    total = ("%z = stablehlo.constant dense<0.0> : tensor<f32>\n  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : "
             "(tensor<32x8xf32>, tensor<f32>) -> tensor<8xf32>\n  return %0 : tensor<8xf32>")
    programs = {}
    for n in counts:
        argument = sharded("tensor<32x8xf32>", "x", None)
        programs["no exchange", n] = on_devices(n, f"func.func @main(%a: {argument}) -> ({argument}) {{\n  {elementwise}\n  }}")
        programs["a sum over all devices", n] = on_devices(n, f"func.func @main(%a: {argument}) -> tensor<8xf32> {{\n  {total}\n  }}")
    best = machine.least(programs, seconds=0.1)
    return {"title": "Nothing is decided while a program runs: tensor<32x8xf32> over devices", "chart": "lines", "note": "One thread runs all devices; a call of the C API included.",
            "x": {"label": "devices", "scale": "log", "ticks": counts}, "y": {"label": "microseconds per execution"},
            "series": [{"name": name, "points": [(n, best[name, n] * 1e6) for n in counts]} for name in ("no exchange", "a sum over all devices")]}


def collective(name, attributes, tile, result, out):
    """An op of Shardy's manual computation over 8 devices; its argument is sharded by rows."""
    scalar, wide = "tensor<f32>", tensor(8 * tile[0], *tile[1:], "f32")
    tile, groups = tensor(*tile, "f32"), "replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>"
    channel = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
    sums = "reduce" in name
    region = (f" ({{\n    ^bb0(%p: {scalar}, %q: {scalar}):\n    %s = stablehlo.add %p, %q : {scalar}\n    stablehlo.return %s : {scalar}\n    }})" if sums else "")
    given = f"{channel}, {attributes}" if "permute" in name else ", ".join([channel, groups] + ([attributes] if attributes else []) + (["use_global_device_ids"] if sums else []))
    whole = result if out == "{}" else [8 * result[0], *result[1:]]
    result, whole = tensor(*result, "f32"), tensor(*whole, "f32")
    sharding = f"[{out}, {{}}]"
    return on_devices(8, f"""func.func @main(%a: {sharded(wide, "x", None)}) -> ({whole} {{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}) {{
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{{"x"}}, {{}}]>] out_shardings=[<@mesh, {sharding}>] manual_axes={{"x"}} (%b: {tile}) {{
    %1 = "stablehlo.{name}"(%b) <{{{given}}}>{region} : ({tile}) -> {result}
    sdy.return %1 : {result}
  }} : ({wide}) -> {whole}
  return %0 : {whole}
  }}""")


def collectives(machine):
    """Bytes that must move, by time, beside an elementwise op."""
    tile, by_rows = (512, 4096), '{"x"}'
    shift = ", ".join(f"[{i}, {(i + 1) % 8}]" for i in range(8))
    kind, negated = tensor(4096, 4096, "f32"), Function(tensor(4096, 4096, "f32"))
    by_row, by_column = sharded(kind, "x", None), sharded(kind, None, "x")
    turned = f'%0 = sdy.reshard %a <@mesh, [{{}}, {{"x"}}]> : {kind}\n  return %0 : {kind}'
    programs = {  # name: text, megabytes read and written
        "negate, one device": (negated.text(negated.elementwise("negate", "%a0")), 128),
        "collective_permute": (collective("collective_permute", f"source_target_pairs = dense<[{shift}]> : tensor<8x2xi64>", tile, tile, by_rows), 128),
        "all_to_all, from rows to columns": (on_devices(8, f"func.func @main(%a: {by_row}) -> ({by_column}) {{\n  {turned}\n  }}"), 128),
        "all_gather, to one array": (collective("all_gather", "all_gather_dim = 0 : i64", tile, (4096, 4096), "{}"), 128),
        "all_gather, to 8 arrays": (collective("all_gather", "all_gather_dim = 0 : i64", tile, (4096, 4096), by_rows), 64 + 8 * 64),
        "reduce_scatter": (collective("reduce_scatter", "scatter_dimension = 0 : i64", tile, (64, 4096), by_rows), 64 + 8),
        "all_reduce, to one array": (collective("all_reduce", "", tile, tile, "{}"), 64 + 8),
        "all_reduce, to 8 arrays": (collective("all_reduce", "", tile, tile, by_rows), 64 + 64),
    }
    best = machine.least({name: text for name, (text, _) in programs.items()})
    return {"title": "Bytes move once: collectives over 64 MB on 8 devices", "chart": "bars",
            "values": {"label": "GB/s, of the bytes that must be read and written"}, "rows": list(programs),
            "note": "To one array: the result is replicated, and its 8 devices share the caller's array. A negation is the speed of reading and writing in order.",
            "series": [{"name": "shardc", "values": [size * 2**20 / best[name] / 1e9 for name, (_, size) in programs.items()]}]}


ALL = {"rows": rows, "products": products, "attention": attention, "devices": devices, "collectives": collectives}
