"""What a call costs beside what it computes: a tiny jitted function on 1 and on 8 devices, and moving 64 MB from and to numpy, on shardc and on
jaxlib's own CPU client, in turns in one process.

    SHARDC_PJRT_LIBRARY=build/release/libshardc_pjrt.so PYTHONPATH=plugin/python python bench/jax/dispatch.py      (a Python with jax)

The least of many rounds counts: other work on the machine only adds to it. Microseconds of wall time, and of processor time of all threads.
"""

import os
import time

os.environ.update(JAX_PLATFORMS="shardc,cpu", SHARDC_NUM_DEVICES="8", XLA_FLAGS="--xla_force_host_platform_device_count=8")

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

BACKENDS = {name: jax.devices(name) for name in ("shardc", "cpu")}
ROUNDS, CALLS, BYTES, LINE = 40, 500, 64 << 20, 64
add_one = jax.jit(lambda x: x + 1)


def placed(devices, count):
    sharding = NamedSharding(Mesh(np.array(devices[:count]), ("x",)), PartitionSpec("x")) if count > 1 else devices[0]
    return jax.device_put(np.ones((8, 8), np.float32), sharding)


def time_calls(x):
    add_one(x).block_until_ready()
    wall, processor = time.perf_counter(), time.process_time()
    for _ in range(CALLS):
        y = add_one(x)
    y.block_until_ready()
    return (time.perf_counter() - wall) / CALLS * 1e6, (time.process_time() - processor) / CALLS * 1e6


def measure_calls(count):
    arrays = {name: placed(devices, count) for name, devices in BACKENDS.items()}
    times = {name: [] for name in BACKENDS}
    for _ in range(ROUNDS):
        for name, array in arrays.items():
            times[name].append(time_calls(array))
    for name, rows in times.items():
        print("%-6s call on %d device(s): %6.1f us, processor %6.1f us" % (name, count, min(r[0] for r in rows), min(r[1] for r in rows)))


def measure_transfers():
    memory = np.empty(BYTES + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    numbers = memory[start : start + BYTES].view(np.float32)
    numbers[:] = 1
    for name, devices in BACKENDS.items():
        put, get = [], []
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            x = jax.device_put(numbers, devices[0]).block_until_ready()
            put.append(time.perf_counter() - begin)
            y = x + 1
            y.block_until_ready()
            begin = time.perf_counter()
            seen = np.asarray(y)
            get.append(time.perf_counter() - begin)
        shares = x.unsafe_buffer_pointer() == numbers.ctypes.data and seen.ctypes.data == y.unsafe_buffer_pointer()
        print("%-6s 64 MB: device_put %6.1f us, asarray %6.1f us, memory is shared: %s" % (name, min(put) * 1e6, min(get) * 1e6, shares))


if __name__ == "__main__":
    measure_calls(1)
    measure_calls(8)
    measure_transfers()
