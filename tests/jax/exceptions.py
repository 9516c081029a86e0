"""What JAX says when its users make mistakes, on shardc and on stock XLA:CPU: the same exceptions, and the process lives on.

    python tests/jax/exceptions.py            both, compared; exit status 1 where they differ. Needs a Python with jax, and SHARDC_PJRT_LIBRARY
    python tests/jax/exceptions.py --here     the backend of this process: a line per case; VERBOSE=1: with the messages

Deleted and donated buffers, arrays on wrong devices, wrong shapes, exceptions in callbacks, functions that nobody has. A case where
XLA:CPU ends the process is right with any exception.
"""

import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CASES = []


def case(function):
    CASES.append(function)
    return function


def mesh_of(jax, count):
    import numpy as np

    return jax.sharding.Mesh(np.array(jax.devices()[:count]), ("x",))


@case
def deleted_array_is_read(jax, jnp, np):
    x = jnp.arange(8.0) + 1
    x.delete()
    np.asarray(x)


@case
def deleted_array_is_an_argument(jax, jnp, np):
    x = jnp.arange(8.0) + 1
    x.delete()
    jax.jit(lambda x: x + 1)(x)


@case
def donated_array_is_read(jax, jnp, np):
    x = jnp.arange(8.0) + 1
    jax.jit(lambda x: x + 1, donate_argnums=0)(x).block_until_ready()
    np.asarray(x)


@case
def donated_array_is_an_argument(jax, jnp, np):
    step = jax.jit(lambda x: x + 1, donate_argnums=0)
    x = jnp.arange(8.0) + 1
    step(x)
    step(x)


@case
def donated_sharded_array_is_an_argument(jax, jnp, np):
    sharding = jax.sharding.NamedSharding(mesh_of(jax, 8), jax.sharding.PartitionSpec("x"))
    step = jax.jit(lambda x: x + 1, donate_argnums=0)
    x = jax.device_put(np.arange(16.0), sharding)
    step(x)
    step(x)


@case
def one_array_is_donated_twice(jax, jnp, np):
    x = jnp.arange(8.0) + 1
    jax.jit(lambda x, y: (x + y, x - y), donate_argnums=(0, 1))(x, x)


@case
def arguments_are_on_different_devices(jax, jnp, np):
    a, b = (jax.device_put(np.arange(8.0), jax.devices()[i]) for i in (1, 2))
    jax.jit(lambda a, b: a + b)(a, b)


@case
def compiled_function_gets_another_device(jax, jnp, np):
    a, b = (jax.device_put(np.arange(8.0), jax.devices()[i]) for i in (1, 2))
    jax.jit(lambda a: a + 1).lower(a).compile()(b)


@case
def compiled_function_gets_another_shape(jax, jnp, np):
    jax.jit(lambda a: a + 1).lower(np.arange(8.0)).compile()(np.arange(9.0))


@case
def sharding_does_not_divide(jax, jnp, np):
    jax.device_put(np.arange(9.0), jax.sharding.NamedSharding(mesh_of(jax, 8), jax.sharding.PartitionSpec("x")))


@case
def pure_callback_raises(jax, jnp, np):
    def fails(x):
        raise ValueError("as it was told")

    jax.jit(lambda x: jax.pure_callback(fails, jax.ShapeDtypeStruct((8,), np.float32), x))(jnp.arange(8.0)).block_until_ready()


@case
def io_callback_raises(jax, jnp, np):
    from jax.experimental import io_callback

    def fails(x):
        raise RuntimeError("as it was told")

    np.asarray(jax.jit(lambda x: io_callback(fails, jax.ShapeDtypeStruct((8,), np.float32), x, ordered=True))(jnp.arange(8.0)))


@case
def debug_callback_raises(jax, jnp, np):
    def fails(x):
        raise KeyError("as it was told")

    def f(x):
        jax.debug.callback(fails, x)
        return x + 1

    jax.jit(f)(jnp.arange(8.0)).block_until_ready()
    jax.effects_barrier()


@case
def callback_gives_another_shape(jax, jnp, np):
    jax.jit(lambda x: jax.pure_callback(lambda x: np.zeros(3, np.float32), jax.ShapeDtypeStruct((8,), np.float32), x))(
        jnp.arange(8.0)
    ).block_until_ready()


@case
def callback_on_eight_devices_raises(jax, jnp, np):
    def fails(x):
        raise ValueError("as it was told")

    sharding = jax.sharding.NamedSharding(mesh_of(jax, 8), jax.sharding.PartitionSpec("x"))
    x = jax.device_put(np.arange(16.0, dtype=np.float32), sharding)
    jax.jit(lambda x: jax.pure_callback(fails, jax.ShapeDtypeStruct((16,), np.float32), x))(x).block_until_ready()


@case
def foreign_function_is_unknown(jax, jnp, np):
    jax.jit(lambda x: jax.ffi.ffi_call("nobody_knows_it", jax.ShapeDtypeStruct((8,), np.float32))(x))(jnp.arange(8.0))


def here(first):
    import jax
    import jax.numpy as jnp
    import numpy as np

    for function in CASES[first:]:
        try:
            function(jax, jnp, np)
            text = "no exception"
        except Exception as error:
            words = ("deleted", "donate", "incompatible devices", "as it was told")
            text = "%s: %s" % (type(error).__name__, ", ".join(word for word in words if word in str(error)))
            if os.environ.get("VERBOSE"):
                text += " | " + re.sub(r"\s+", " ", str(error))[:300]
        alive = float(jax.jit(lambda x: x.sum())(jnp.arange(4.0))) == 6
        print("%-40s %s%s" % (function.__name__, text, "" if alive else ", then wrong"), flush=True)


def run(backend):
    """A line per case; a case that ends the process says so."""
    env = dict(os.environ)
    for name in ("PJRT_NAMES_AND_LIBRARY_PATHS", "XLA_FLAGS", "JAX_PLATFORMS", "PYTHONPATH"):
        env.pop(name, None)
    if backend == "xla":
        env.update(JAX_PLATFORMS="cpu", XLA_FLAGS="--xla_force_host_platform_device_count=8")
    else:
        env.update(JAX_PLATFORMS="shardc,cpu", SHARDC_NUM_DEVICES="8", PYTHONPATH=str(HERE.parent.parent / "plugin" / "python"))
    lines = []
    while len(lines) < len(CASES):
        done = subprocess.run(
            [sys.executable, __file__, "--here", str(len(lines))], env=env, capture_output=True, text=True, timeout=600
        )
        lines += done.stdout.splitlines()
        if len(lines) < len(CASES):
            lines.append("%-40s the process ended with %d" % (CASES[len(lines)].__name__, done.returncode))
    return lines


def main():
    if sys.argv[1:2] == ["--here"]:
        return here(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    different = 0
    for line, peer in zip(run("shardc"), run("xla")):
        is_dead = "the process ended" in line
        is_same = line == peer or (not is_dead and "the process ended" in peer)
        different += not is_same
        print("same" if is_same else "DIFFERS", line if line == peer else "%s\n        XLA:CPU: %s" % (line, peer))
    print("%d passed, %d failed" % (len(CASES) - different, different))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
