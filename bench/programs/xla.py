#!/usr/bin/env python3
"""Times a StableHLO program with Shardy's or GSPMD's annotations on XLA:CPU with virtual devices. Needs jax.

  xla.py PROGRAM DEVICES SECONDS      prints a JSON object: compile_s, median_s
"""
import json
import os
import statistics
import sys
import time

path, devices, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"
import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax._src import compiler  # noqa: E402
from jax._src.interpreters import mlir as jmlir  # noqa: E402
from jax._src.lib import xla_client as xc  # noqa: E402
from jax._src.lib.mlir import ir  # noqa: E402
from jax._src.sharding_impls import GSPMDSharding  # noqa: E402

TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i1": np.bool_, "i8": np.int8, "i16": np.int16,
         "i32": np.int32, "i64": np.int64, "ui8": np.uint8, "ui32": np.uint32, "ui64": np.uint64, "complex<f32>": np.complex64}
random = np.random.default_rng(1)


def draw(kind):
    element = np.dtype(TYPES[str(kind.element_type)])
    if element.kind in "iub":
        return random.integers(0, 2, tuple(kind.shape)).astype(element)
    return (random.standard_normal(tuple(kind.shape)) * 0.1).astype(element)


with open(path) as program:
    text = program.read()
if "tf.aliasing_output" in text or "jax.buffer_donor" in text:
    sys.exit("donates its arguments: it cannot be executed again with them")
with jmlir.make_ir_context():
    module = ir.Module.parse(text)
    main = next(op for op in module.body.operations if op.operation.name == "func.func" and ir.StringAttr(op.attributes["sym_name"]).value == "main")
    kinds = [ir.RankedTensorType(t) for t in ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value).inputs]
    arrays = [draw(kind) for kind in kinds]
    client = jax.devices("cpu")[0].client
    options = compiler.get_compile_options(1, devices, device_assignment=np.arange(devices).reshape(1, devices), backend=client)
    options.executable_build_options.use_spmd_partitioning = devices > 1
    options.executable_build_options.use_shardy_partitioner = "sdy." in text
    cpus = tuple(jax.devices("cpu")[:devices])
    begin = time.perf_counter()
    program = compiler.backend_compile_and_load(client, module, xc.DeviceList(cpus), options, [])
    compiled = time.perf_counter() - begin

shardings = program.get_parameter_shardings() if devices > 1 else None
placed = [jax.device_put(array, GSPMDSharding(cpus, shardings[i]) if shardings else cpus[0]) for i, array in enumerate(arrays)]


def run():
    for parts in program.execute_sharded(placed).disassemble_into_single_device_arrays():
        for part in parts:
            part.block_until_ready()


run()
times, begin = [], time.perf_counter()
while len(times) < 3 or time.perf_counter() - begin < seconds:
    start = time.perf_counter()
    run()
    times.append(time.perf_counter() - start)
print(json.dumps({"compile_s": compiled, "median_s": statistics.median(times)}))
