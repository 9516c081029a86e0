#!/usr/bin/env python3
"""Runs StableHLO programs on XLA:CPU for bench/kernels. Needs jax.

  peer.py THREADS

Reads commands: `program SIZE` and SIZE bytes of text (answers 1, or 0 and the reason on stderr), `time` (answers the seconds of one execution).
The time of one thread is what the process computed, as in measure.c.
"""
import os
import sys
import time

threads = int(sys.argv[1])
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"
import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax._src import compiler  # noqa: E402
from jax._src.interpreters import mlir as jmlir  # noqa: E402
from jax._src.lib import xla_client as xc  # noqa: E402
from jax._src.lib.mlir import ir  # noqa: E402

TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i1": np.bool_, "i8": np.int8,
         "i32": np.int32, "i64": np.int64, "ui32": np.uint32, "ui64": np.uint64, "complex<f32>": np.complex64, "complex<f64>": np.complex128}
now = time.process_time if threads == 1 else time.perf_counter
random = np.random.default_rng(1)


def draw(shape, name):
    kind = np.dtype(TYPES[name])
    if name in ("i32", "i64"):
        return random.integers(0, 1000, shape).astype(kind)
    if kind.kind in "iub":
        return np.frombuffer(random.bytes(int(np.prod(shape)) * kind.itemsize), kind).reshape(shape) if kind.kind != "b" else random.integers(0, 2, shape).astype(bool)
    return ((random.random(shape, np.float32) - 0.5) + (1j * (random.random(shape, np.float32) - 0.5) if kind.kind == "c" else 0)).astype(kind)


def load(text):
    with jmlir.make_ir_context():
        module = ir.Module.parse(text)
        module.operation.attributes["sym_name"] = ir.StringAttr.get("program")
        main = next(op for op in module.body.operations if ir.StringAttr(op.attributes["sym_name"]).value == "main")
        types = [ir.RankedTensorType(t) for t in ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value).inputs]
        shapes = [(tuple(t.shape), str(t.element_type)) for t in types]
        device = jax.devices("cpu")[0]
        options = compiler.get_compile_options(1, 1, device_assignment=np.zeros((1, 1), int), backend=device.client)
        program = compiler.backend_compile_and_load(device.client, module, xc.DeviceList((device,)), options, [])
    return program, [jax.device_put(draw(*s), device) for s in shapes]


def run(program, arrays):
    for shards in program.execute_sharded(arrays).disassemble_into_single_device_arrays():
        for shard in shards:
            shard.block_until_ready()


def time_one(program, arrays):
    begin, times = now(), 0
    while times == 0 or now() - begin < 1e-3:
        run(program, arrays)
        times += 1
    return (now() - begin) / times


def main():
    commands = sys.stdin.buffer
    loaded = None
    for line in commands:
        words = line.split()
        try:
            if words[0] == b"program":
                text = commands.read(int(words[1])).decode()
                loaded = None
                loaded = load(text)
                run(*loaded)
                print(1, flush=True)
            else:
                print(time_one(*loaded) if loaded else 0, flush=True)
        except Exception as error:  # noqa: BLE001: the next program may be fine
            print("XLA:", str(error).splitlines()[0], file=sys.stderr)
            loaded = None
            print(0, flush=True)


main()
