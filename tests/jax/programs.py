"""Programs as JAX's users write them, on shardc and on stock XLA:CPU with 8 devices each: the same numbers.

    python tests/jax/programs.py            both, compared; exit status 1 where they differ. Needs a Python with jax, and SHARDC_PJRT_LIBRARY
    python tests/jax/programs.py --here F   the backend of this process: writes the results to F (.npz)

A case returns arrays; (name, tolerance) are its results' name and largest difference, relative to the largest number. The last line counts.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CASES = []


def case(tolerance):
    def add(function):
        CASES.append((function, tolerance))
        return function

    return add


def sharded(jax, mesh, array, *spec):
    return jax.device_put(array, jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*spec)))


def mesh_of(jax, shape, names):
    return jax.make_mesh(shape, names, axis_types=(jax.sharding.AxisType.Auto,) * len(names))


@case(1e-5)
def training_step(jax, jnp, np):
    mesh = mesh_of(jax, (4, 2), ("batch", "model"))
    key = jax.random.key(0)
    w1, w2 = (jax.random.normal(k, (64, 64)) / 8 for k in jax.random.split(key))
    w1, w2 = sharded(jax, mesh, w1, None, "model"), sharded(jax, mesh, w2, "model", None)
    x = sharded(jax, mesh, jax.random.normal(key, (32, 64)), "batch", None)

    @jax.jit
    def step(w):
        loss, g = jax.value_and_grad(lambda w: jnp.mean((jnp.tanh(x @ w[0]) @ w[1] - x) ** 2))(w)
        return loss, [a - 0.1 * b for a, b in zip(w, g)]

    losses, w = [], [w1, w2]
    for _ in range(5):
        loss, w = step(w)
        losses.append(loss)
    return [jnp.stack(losses), *w]


@case(2e-5)
def attention(jax, jnp, np):
    mesh = mesh_of(jax, (2, 4), ("batch", "heads"))
    q, k, v = (sharded(jax, mesh, jax.random.normal(jax.random.key(i), (4, 8, 96, 32)), "batch", "heads") for i in range(3))
    mask = jnp.tril(jnp.ones((96, 96), bool))

    @jax.jit
    def attend(q, k, v):
        scores = jnp.where(mask, jnp.einsum("bhqd,bhkd->bhqk", q, k) / 32**0.5, -1e9)
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)

    return [attend(q, k, v), *jax.jit(jax.grad(lambda *a: attend(*a).var(), (0, 1, 2)))(q, k, v)]


@case(1e-6)
def collectives(jax, jnp, np):
    mesh = mesh_of(jax, (8,), ("x",))
    P = jax.sharding.PartitionSpec

    def body(a):
        right = jax.lax.ppermute(a, "x", [(i, (i + 1) % 8) for i in range(8)])
        return jax.lax.psum(a, "x"), right, jax.lax.all_gather(a[:1], "x", tiled=True) + jax.lax.axis_index("x"), jax.lax.pmax(a, "x")

    f = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=(P(), P("x"), P("x"), P()), check_vma=False))
    return f(jnp.arange(64.0).reshape(32, 2))


@case(0)
def random_bits(jax, jnp, np):
    mesh = mesh_of(jax, (8,), ("x",))
    keys = jax.random.split(jax.random.key(7), 16)
    draw = jax.jit(lambda k: jax.vmap(lambda k: jax.random.bits(k, (33,)))(k), out_shardings=jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x")))
    return draw(keys), jax.random.permutation(keys[0], 1000), jax.random.randint(keys[1], (50,), 0, 9)


@case(1e-5)
def loops(jax, jnp, np):
    def body(carry, x):
        h = jnp.tanh(carry @ jnp.full((16, 16), 0.01) + x)
        return h, h.sum()

    scan = jax.jit(lambda x: jax.lax.scan(body, jnp.zeros((4, 16)), x))
    x = jnp.linspace(-1, 1, 20 * 4 * 16).reshape(20, 4, 16)
    root = jax.jit(lambda a: jax.lax.while_loop(lambda s: jnp.abs(s * s - a).max() > 1e-4, lambda s: (s + a / s) / 2, a))
    return [*scan(x), jax.grad(lambda x: scan(x)[1].sum())(x), root(jnp.arange(1.0, 9.0))]


@case(2e-4)
def linear_algebra(jax, jnp, np):
    a = np.random.default_rng(0).standard_normal((6, 24, 24)).astype(np.float32)
    s = a @ a.transpose(0, 2, 1) + 24 * np.eye(24, dtype=np.float32)
    q, r = jnp.linalg.qr(a)
    return [
        jnp.linalg.cholesky(s), jnp.linalg.eigvalsh(s), jnp.linalg.svd(a, compute_uv=False), q @ r, jnp.linalg.solve(s, a),
        jnp.linalg.slogdet(s)[1], jnp.sort(jnp.abs(jnp.linalg.eigvals(a[0]))),
    ]  # fmt: skip


@case(1e-4)
def convolutions_and_transforms(jax, jnp, np):
    x = jax.random.normal(jax.random.key(1), (8, 20, 20, 6))
    w = jax.random.normal(jax.random.key(2), (3, 3, 6, 10))
    conv = jax.jit(lambda x, w: jax.lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
    pool = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "VALID")
    return [conv(x, w), *jax.grad(lambda x, w: (conv(x, w) ** 2).mean(), (0, 1))(x, w), pool, jnp.abs(jnp.fft.rfft2(x[..., 0])), jnp.fft.ifft(jnp.fft.fft(x[0, 0, :, 0])).real]


@case(0)
def moves(jax, jnp, np):
    mesh = mesh_of(jax, (4, 2), ("x", "y"))
    a = sharded(jax, mesh, jnp.arange(24 * 36).reshape(24, 36), "x", "y")
    picked = jax.jit(lambda a: a[jnp.array([3, 0, 23, 5])])(a)
    scattered = jax.jit(lambda a: a.at[jnp.array([1, 1, 7])].add(5))(a)
    return [picked, scattered, jnp.roll(a, 5, 1), jnp.sort(a % 17, 1), jnp.argsort(a % 11, 0), jnp.cumsum(a, 0), a.reshape(36, 24).T, *jax.lax.top_k(a % 29, 5)]


@case(1e-5)
def callbacks(jax, jnp, np):
    f = jax.jit(lambda x: jax.pure_callback(lambda v: np.sin(np.asarray(v)), jax.ShapeDtypeStruct((12,), jnp.float32), x * 2))
    return [f(jnp.arange(12.0))]


@case(2e-2)
def narrow_floats(jax, jnp, np):
    x = jax.random.normal(jax.random.key(3), (48, 80), jnp.bfloat16)
    y = jax.jit(lambda x: jax.nn.gelu(x @ x.T) / 80)(x)
    return [y.astype(jnp.float32), x.astype(jnp.float8_e4m3fn).astype(jnp.float32), jax.jit(lambda x: jax.nn.softmax(x).astype(jnp.float32))(x)]


@case(1e-6)
def exported(jax, jnp, np):
    f = jax.export.export(jax.jit(lambda x: jnp.cos(x).sum(0)), platforms=["cpu"])(jax.ShapeDtypeStruct((7, 5), jnp.float32))
    return [jax.export.deserialize(f.serialize()).call(jnp.ones((7, 5)))]


def here(path):
    import jax
    import jax.export
    import jax.numpy as jnp
    import numpy as np

    assert len(jax.devices()) == 8, jax.devices()
    out = {}
    for function, _ in CASES:
        try:
            results = function(jax, jnp, np)
        except Exception as error:  # the case has failed, and the others go on
            print("%s: %s: %s" % (function.__name__, type(error).__name__, str(error)[:400]), file=sys.stderr)
            continue
        for i, result in enumerate(results):
            out["%s.%d" % (function.__name__, i)] = np.asarray(result)
        out["%s.count" % function.__name__] = np.array(len(results))
    np.savez(path, **out)


def run(backend, path):
    sys.path.insert(0, str(HERE))
    import run as runner

    env = runner.environment(backend, argparse.Namespace(cases=1, devices=8))
    done = subprocess.run([sys.executable, __file__, "--here", path], env=env, capture_output=True, text=True, timeout=300)
    errors = [line for line in done.stderr.splitlines() if line.split(":")[0] in [function.__name__ for function, _ in CASES]]
    if done.returncode != 0:
        errors.append("%s ended with %d: %s" % (backend, done.returncode, done.stderr[-800:]))
    return errors


def differences(np, ours, peer, name, tolerance):
    if name + ".count" not in ours or name + ".count" not in peer or ours[name + ".count"] != peer[name + ".count"]:
        yield "no results"
        return
    for i in range(int(ours[name + ".count"])):
        a, b = ours["%s.%d" % (name, i)], peer["%s.%d" % (name, i)]
        if a.shape != b.shape or a.dtype != b.dtype:
            yield "result %d: %s%s beside %s%s" % (i, a.dtype, a.shape, b.dtype, b.shape)
            continue
        wide = np.float64 if tolerance else a.dtype
        worst = np.abs(a.astype(wide) - b.astype(wide)).max() if tolerance else float((a != b).sum())
        if not worst <= tolerance * max(np.abs(b.astype(wide)).max(), 1e-30):
            yield "result %d: differs by %g" % (i, worst)


def main():
    if sys.argv[1:2] == ["--here"]:
        return here(sys.argv[2])
    import numpy as np

    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        results = []
        for backend in ("shardc", "xla"):
            path = str(pathlib.Path(folder) / (backend + ".npz"))
            for error in run(backend, path):
                print("%s: %s" % (backend, error))
            results.append(dict(np.load(path)) if pathlib.Path(path).exists() else {})
        for function, tolerance in CASES:
            found = list(differences(np, *results, function.__name__, tolerance))
            failed += bool(found)
            print("%s %s %s" % ("FAIL" if found else "same", function.__name__, "; ".join(found)))
    print("%d passed, %d failed" % (len(CASES) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
