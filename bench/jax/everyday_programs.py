"""What people write with JAX every day: functions and the arrays that they take, for everyday.py. A run over all of them takes 20 minutes."""

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from jax import lax, nn, random

bf16, c64, i32, u8 = jnp.bfloat16, np.complex64, np.int32, np.uint8
PROGRAMS = []  # (name, function, specifications of its arrays)


def program(name, function, *arrays):
    PROGRAMS.append((name, function, arrays))


# (shape, type, low, high, kind): see make.
def floats(*shape, t=np.float32, lo=None, hi=None, k="normal"):
    return shape, t, lo, hi, k


def ints(high, *shape, lo=0, t=i32):
    return shape, t, lo, high, "int"


KEY = ints(2**31 - 1, 2, t=np.uint32)


def key(data):
    return random.wrap_key_data(data)


def make(array, seed):
    """An array of a specification: whole numbers, booleans, positive definite matrices, sorted, between low and high, or normal."""
    shape, t, low, high, kind = array
    draw = np.random.default_rng(seed)
    if kind == "int":
        return draw.integers(low, high, shape).astype(t)
    if kind == "bool":
        return draw.random(shape) < 0.5
    if kind == "spd":
        x = draw.standard_normal(shape)
        return (x @ np.swapaxes(x, -1, -2) / shape[-1] + np.eye(shape[-1])).astype(t)
    if kind == "sorted":
        return np.sort(draw.standard_normal(shape), -1).astype(t)
    x = draw.standard_normal(shape) if low is None else draw.uniform(low, high, shape)
    if np.issubdtype(np.dtype(t), np.complexfloating):
        x = x + 1j * draw.standard_normal(shape)
    return x.astype(t)


def forces_between_bodies(x, mass):
    distance = x[None] - x[:, None]
    square = (distance**2).sum(-1) + 1e-3
    return (mass[None, :, None] * distance * (square**-1.5)[..., None]).sum(1)


def boxes_that_overlap_no_better_one(boxes, scores):
    boxes = boxes[jnp.argsort(-scores)]
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    low, high = jnp.maximum(boxes[:, None, :2], boxes[None, :, :2]), jnp.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    both = jnp.prod(jnp.clip(high - low, 0), -1)
    overlap = both / (area[:, None] + area[None] - both + 1e-6)
    later = jnp.arange(len(boxes))

    def suppress(k, kept):
        return jnp.where((overlap[k] > 0.5) & (later > k) & kept[k], False, kept)

    return lax.fori_loop(0, len(boxes), suppress, jnp.ones(len(boxes), bool))


def longest_common_subsequence(a, b):
    def cell(i, j, table):
        best = jnp.where(a[i] == b[j], table[i, j] + 1, jnp.maximum(table[i, j + 1], table[i + 1, j]))
        return table.at[i + 1, j + 1].set(best)

    table = jnp.zeros((len(a) + 1, len(b) + 1), jnp.int32)
    return lax.fori_loop(0, len(a), lambda i, t: lax.fori_loop(0, len(b), lambda j, t: cell(i, j, t), t), table)


def exchange_rows(x, other):
    def exchange(i, x):
        a, b = x[i], x[other[i]]
        return x.at[i].set(b).at[other[i]].set(a)

    return lax.fori_loop(0, len(other), exchange, x)


program("forces", forces_between_bodies, floats(1024, 3), floats(1024, lo=0.1, hi=1))
program("suppress_boxes", boxes_that_overlap_no_better_one, floats(512, 4, lo=0, hi=1), floats(512))
program("subsequence", longest_common_subsequence, ints(4, 256), ints(4, 256))
program("exchange_rows", exchange_rows, floats(500, 256), ints(500, 500))
program("packbits", lambda x: jnp.packbits(x, axis=-1), floats(4096, 1024, t=bool, k="bool"))
for length in (50, 77, 197, 1000):
    program(f"softmax_{length}", lambda x: nn.softmax(x), floats(20000, length))

# ---- simulations
program(
    "heat_pad", lambda u: (lambda p: p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * u)(jnp.pad(u, 1, mode="edge")), floats(2048, 2048)
)
program(
    "pendulum_scan",
    lambda s: lax.scan(lambda s, _: (jnp.array([s[0] + 0.01 * s[1], s[1] - 0.01 * jnp.sin(s[0])]), s[0]), s, None, length=5000),
    floats(2),
)

# ---- statistics and special functions
program("median_cols", lambda x: jnp.median(x, 0), floats(1000, 500))
program("quantile", lambda x: jnp.quantile(x, jnp.array([0.1, 0.5, 0.9]), axis=1), floats(256, 4096))
program("percentile_flat", lambda x: jnp.percentile(x, 95.0), floats(1000000))
program("histogram", lambda x: jnp.histogram(x, bins=64, range=(-3, 3))[0], floats(1000000))
program("bincount", lambda x: jnp.bincount(x, length=256), ints(256, 1000000))
program("cov", lambda x: jnp.cov(x), floats(256, 4096))
program("corrcoef", lambda x: jnp.corrcoef(x), floats(256, 2048))
program("zscore", lambda x: (x - x.mean(0)) / (x.std(0) + 1e-6), floats(8192, 512))
program(
    "moments_4", lambda x: (lambda d: (d**3).mean(1) / ((d**2).mean(1) ** 1.5) + (d**4).mean(1))(x - x.mean(1, keepdims=True)), floats(4096, 1024)
)
program("var_all", lambda x: jnp.var(x), floats(4000000))
program("std_axis1", lambda x: jnp.std(x, 1), floats(4096, 1024))
program("weighted_mean", lambda x, w: (x * w).sum(0) / w.sum(0), floats(4096, 1024), floats(4096, 1024, lo=0, hi=1))
program("ema_scan", lambda x: lax.scan(lambda c, v: (0.9 * c + 0.1 * v,) * 2, x[0], x)[1], floats(4096, 256))
program("ema_assoc", lambda x: lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (jnp.full_like(x, 0.9), x))[1], floats(4096, 256))
program("logsumexp_all", lambda x: jsp.special.logsumexp(x), floats(2000000))
program("kde", lambda x, g: jnp.exp(-0.5 * ((g[:, None] - x[None]) / 0.1) ** 2).mean(1), floats(4096), floats(512))
program("mvn_logpdf", lambda x, m, c: jsp.stats.multivariate_normal.logpdf(x, m, c), floats(4096, 16), floats(16), floats(16, 16, k="spd"))
program("gauss_logpdf", lambda x, m, s: jsp.stats.norm.logpdf(x, m, s).sum(-1), floats(4096, 512), floats(512), floats(512, lo=0.5, hi=2))
program("beta_logpdf", lambda x: jsp.stats.beta.logpdf(x, 2.0, 3.0), floats(500000, lo=0.01, hi=0.99))
program("gamma_logpdf", lambda x, a: jsp.stats.gamma.logpdf(x, a), floats(500000, lo=0.1, hi=9), floats(500000, lo=0.5, hi=5))
program("norm_cdf", lambda x: jsp.stats.norm.cdf(x), floats(2000000))
program("norm_ppf", lambda x: jsp.stats.norm.ppf(x), floats(1000000, lo=0.001, hi=0.999))
program("digamma", lambda x: jsp.special.digamma(x), floats(500000, lo=0.1, hi=9))
program(
    "betainc", lambda a, b, x: jsp.special.betainc(a, b, x), floats(50000, lo=0.5, hi=4), floats(50000, lo=0.5, hi=4), floats(50000, lo=0.01, hi=0.99)
)
program("gammainc", lambda a, x: jsp.special.gammainc(a, x), floats(50000, lo=0.5, hi=4), floats(50000, lo=0.1, hi=5))
program("zeta", lambda x: jsp.special.zeta(x, 1.5), floats(50000, lo=1.5, hi=8))
program("bessel_i1", lambda x: jsp.special.i1(x), floats(500000))
program("i0e", lambda x: jsp.special.i0e(x), floats(500000))
program("erfc", lambda x: jsp.special.erfc(x), floats(2000000))
program("expit_logit", lambda x: jsp.special.logit(jsp.special.expit(x)), floats(1000000))
program("lgamma", lambda x: lax.lgamma(x), floats(1000000, lo=0.1, hi=9))
program("entropy", lambda p: jsp.special.entr(p).sum(-1), floats(4096, 512, lo=0, hi=1))
program("kl", lambda p, q: jsp.special.rel_entr(p, q).sum(-1), floats(4096, 512, lo=0.01, hi=1), floats(4096, 512, lo=0.01, hi=1))

# ---- images
program("resize_bilinear", lambda x: jax.image.resize(x, (8, 224, 224, 3), "bilinear"), floats(8, 128, 128, 3))
program("resize_cubic", lambda x: jax.image.resize(x, (4, 256, 256, 3), "cubic"), floats(4, 128, 128, 3))
program("resize_nearest", lambda x: jax.image.resize(x, (8, 256, 256, 16), "nearest"), floats(8, 128, 128, 16))
program("upsample_repeat", lambda x: x.repeat(2, 1).repeat(2, 2), floats(8, 128, 128, 16))
program("map_coords", lambda x, c: jsp.ndimage.map_coordinates(x, c, order=1), floats(512, 512), floats(2, 512, 512, lo=0, hi=510))
program(
    "gauss_blur_sep", lambda x, k: jsp.signal.convolve2d(jsp.signal.convolve2d(x, k[:, None], "same"), k[None], "same"), floats(1024, 1024), floats(9)
)
program("rgb2gray", lambda x: (x.astype(jnp.float32) / 255) @ jnp.array([0.299, 0.587, 0.114]), ints(256, 16, 256, 256, 3, t=u8))
program("flip_crop", lambda x: x[:, 16:240, 16:240, :][:, :, ::-1], floats(32, 256, 256, 3))
program("nhwc2nchw", lambda x: x.transpose(0, 3, 1, 2), floats(32, 224, 224, 3))
program("nchw2nhwc", lambda x: x.transpose(0, 2, 3, 1), floats(32, 3, 224, 224))
program(
    "normalize_u8",
    lambda x: (x.astype(jnp.float32) / 255 - jnp.array([0.485, 0.456, 0.406])) / jnp.array([0.229, 0.224, 0.225]),
    ints(256, 32, 224, 224, 3, t=u8),
)
program("patches", lambda x: x.reshape(16, 14, 16, 14, 16, 3).transpose(0, 1, 3, 2, 4, 5).reshape(16, 196, 768), floats(16, 224, 224, 3))
program("pixel_shuffle", lambda x: x.reshape(8, 64, 64, 2, 2, 16).transpose(0, 1, 3, 2, 4, 5).reshape(8, 128, 128, 16), floats(8, 64, 64, 64))
program("maxpool3", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"), floats(16, 112, 112, 64))
program("avgpool2", lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4, floats(16, 112, 112, 64))
program("global_avg_pool", lambda x: x.mean((1, 2)), floats(32, 56, 56, 256))

# ---- language models
program("embed", lambda t, i: t[i], floats(32000, 512), ints(32000, 8, 512))
program("embed_grad", lambda t, i, d: jax.vjp(lambda t: t[i], t)[1](d), floats(8000, 256), ints(8000, 8, 256), floats(8, 256, 256))
program("softmax_xent", lambda l, y: -jnp.take_along_axis(nn.log_softmax(l), y[:, None], 1).mean(), floats(512, 32000), ints(32000, 512))
program(
    "label_smooth", lambda l, y: -((nn.one_hot(y, 1000) * 0.9 + 0.1 / 1000) * nn.log_softmax(l)).sum(-1).mean(), floats(4096, 1000), ints(1000, 4096)
)
program("topk_50", lambda x: lax.top_k(x, 50), floats(64, 32000))
program("mha", lambda q, k, v: nn.dot_product_attention(q, k, v), floats(2, 512, 12, 64), floats(2, 512, 12, 64), floats(2, 512, 12, 64))
program(
    "mha_causal",
    lambda q, k, v: nn.dot_product_attention(q, k, v, is_causal=True),
    floats(2, 1024, 8, 64),
    floats(2, 1024, 8, 64),
    floats(2, 1024, 8, 64),
)
program("beam_gather", lambda c, i: jax.vmap(lambda c, i: c[i])(c, i), floats(8, 4, 16, 128, 64), ints(4, 8, 4))
program("kv_update", lambda c, u, p: lax.dynamic_update_slice(c, u, (0, p[0], 0, 0)), floats(8, 1024, 8, 64), floats(8, 1, 8, 64), ints(1000, 1))
program(
    "viterbi",
    lambda e, t: lax.scan(lambda s, e: (lambda m: (m.max(0) + e, m.argmax(0)))(s[:, None] + t), e[0], e[1:]),
    floats(512, 64),
    floats(64, 64),
)
program(
    "hmm_forward",
    lambda e, t: lax.scan(lambda s, e: (jsp.special.logsumexp(s[:, None] + t, axis=0) + e, 0), e[0], e[1:])[0],
    floats(512, 64),
    floats(64, 64),
)

# ---- graphs, distances
program("segment_sum", lambda x, s: jax.ops.segment_sum(x, s, 4096), floats(65536, 64), ints(4096, 65536))
program("segment_max", lambda x, s: jax.ops.segment_max(x, s, 4096), floats(65536, 64), ints(4096, 65536))
program("segment_sum_sorted", lambda x, s: jax.ops.segment_sum(x, jnp.sort(s), 4096, indices_are_sorted=True), floats(65536, 64), ints(4096, 65536))
program(
    "gnn_layer",
    lambda x, w, s, r: nn.relu(jax.ops.segment_sum((x @ w)[s], r, 4096)),
    floats(4096, 64),
    floats(64, 64),
    ints(4096, 65536),
    ints(4096, 65536),
)
program("pagerank", lambda a: lax.fori_loop(0, 50, lambda i, v: 0.85 * a @ v + 0.15 / 512, jnp.ones(512) / 512), floats(512, 512, lo=0, hi=0.004))
program(
    "floyd_warshall", lambda d: lax.fori_loop(0, 256, lambda k, d: jnp.minimum(d, d[:, k][:, None] + d[k][None]), d), floats(256, 256, lo=0, hi=9)
)
program(
    "pairwise_dist", lambda x, y: jnp.sqrt(jnp.maximum((x**2).sum(1)[:, None] + (y**2).sum(1) - 2 * x @ y.T, 0)), floats(2048, 64), floats(1024, 64)
)
program("pairwise_l1", lambda x, y: jnp.abs(x[:, None] - y[None]).sum(-1), floats(512, 64), floats(512, 64))
program("knn_10", lambda x, y: lax.top_k(-((x[:, None] - y[None]) ** 2).sum(-1), 10), floats(256, 16), floats(4096, 16))
program("rbf_kernel", lambda x, y: jnp.exp(-0.5 * ((x[:, None] - y[None]) ** 2).sum(-1)), floats(1024, 8), floats(1024, 8))

# ---- linear algebra
program("inv_128", lambda x: jnp.linalg.inv(x), floats(128, 128, k="spd"))
program("inv_batch", lambda x: jnp.linalg.inv(x), floats(1024, 4, 4, k="spd"))
program("det_batch", lambda x: jnp.linalg.det(x), floats(4096, 3, 3, k="spd"))
program("slogdet_256", lambda x: jnp.linalg.slogdet(x), floats(256, 256, k="spd"))
program("chol_256", lambda x: jnp.linalg.cholesky(x), floats(256, 256, k="spd"))
program("chol_batch", lambda x: jnp.linalg.cholesky(x), floats(256, 16, 16, k="spd"))
program("solve_256", lambda a, b: jnp.linalg.solve(a, b), floats(256, 256, k="spd"), floats(256, 8))
program("solve_batch8", lambda a, b: jnp.linalg.solve(a, b), floats(512, 8, 8, k="spd"), floats(512, 8, 1))
program("qr_128", lambda x: jnp.linalg.qr(x), floats(128, 128))
program("qr_256x64", lambda x: jnp.linalg.qr(x), floats(256, 64))
program("qr_batch", lambda x: jnp.linalg.qr(x), floats(256, 8, 8))
program("lstsq", lambda a, b: jnp.linalg.lstsq(a, b)[0], floats(256, 32), floats(256, 4))
program("eigh_64", lambda x: jnp.linalg.eigh(x), floats(64, 64, k="spd"))
program("eigh_batch", lambda x: jnp.linalg.eigh(x), floats(256, 6, 6, k="spd"))
program("svd_64", lambda x: jnp.linalg.svd(x), floats(64, 64))
program("svd_batch3", lambda x: jnp.linalg.svd(x), floats(1024, 3, 3))
program("pinv", lambda x: jnp.linalg.pinv(x), floats(64, 32))
program("expm", lambda x: jsp.linalg.expm(x * 0.1), floats(64, 64))
program("expm_batch", lambda x: jax.vmap(jsp.linalg.expm)(x * 0.1), floats(128, 4, 4))
program("matrix_power", lambda x: jnp.linalg.matrix_power(x, 13), floats(128, 128, lo=-0.1, hi=0.1))
program("kron", lambda a, b: jnp.kron(a, b), floats(32, 32), floats(32, 32))
program("outer", lambda a, b: jnp.outer(a, b), floats(2048), floats(2048))
program("trace_batch", lambda x: jnp.trace(x, axis1=1, axis2=2), floats(1024, 64, 64))
program("tri_solve", lambda a, b: jsp.linalg.solve_triangular(a, b, lower=True), floats(512, 512, k="spd"), floats(512, 64))
program("tridiag", lambda d, b: lax.linalg.tridiagonal_solve(d, d + 4, d, b), floats(4096, lo=0, hi=1), floats(4096, 8))
program("cg_solve", lambda a, b: jsp.sparse.linalg.cg(lambda x: a @ x, b, maxiter=50)[0], floats(512, 512, k="spd"), floats(512))
program(
    "power_iter",
    lambda a, v: lax.fori_loop(0, 100, lambda i, v: (lambda w: w / jnp.linalg.norm(w))(a @ v), v),
    floats(512, 512, k="spd"),
    floats(512),
)
program("toeplitz", lambda c: jsp.linalg.toeplitz(c), floats(1024))
program("vander", lambda x: jnp.vander(x, 16), floats(8192, lo=-1, hi=1))
program("polyval", lambda c, x: jnp.polyval(c, x), floats(8), floats(1000000, lo=-1, hi=1))
program("polyfit", lambda x, y: jnp.polyfit(x, y, 3), floats(1024), floats(1024))
program("cross3", lambda a, b: jnp.cross(a, b), floats(500000, 3), floats(500000, 3))
program("rotate_pts", lambda r, p: jnp.einsum("ij,nj->ni", r, p), floats(3, 3), floats(500000, 3))
program("batch_rot", lambda r, p: jnp.einsum("bij,bnj->bni", r, p), floats(1000, 3, 3), floats(1000, 100, 3))
program("normalize_rows", lambda x: x / jnp.linalg.norm(x, axis=1, keepdims=True), floats(65536, 64))
program("norm_rows3", lambda x: jnp.linalg.norm(x, axis=1), floats(500000, 3))
program("gram_batch", lambda x: jnp.einsum("bni,bnj->bij", x, x), floats(64, 256, 32))
program("bilinear", lambda x, w, y: jnp.einsum("bi,oij,bj->bo", x, w, y), floats(128, 64), floats(32, 64, 64), floats(128, 64))
program("tucker", lambda g, a, b, c: jnp.einsum("xyz,ix,jy,kz->ijk", g, a, b, c), floats(16, 16, 16), floats(64, 16), floats(64, 16), floats(64, 16))
program("matvec", lambda a, x: a @ x, floats(4096, 4096), floats(4096))
program("vecmat", lambda a, x: x @ a, floats(4096, 4096), floats(4096))
program("batch_matvec", lambda a, x: jnp.einsum("bij,bj->bi", a, x), floats(1024, 64, 64), floats(1024, 64))
program("matmul_small", lambda a, b: a @ b, floats(4096, 16, 16), floats(4096, 16, 16))
program("matmul_3x3", lambda a, b: a @ b, floats(100000, 3, 3), floats(100000, 3, 3))
program("dot_i32", lambda a, b: a @ b, ints(100, 512, 512), ints(100, 512, 512))
program("dot_f64ish", lambda a, b: jnp.dot(a, b, precision="highest"), floats(512, 512), floats(512, 512))
program("tensordot", lambda a, b: jnp.tensordot(a, b, axes=([1, 3], [0, 2])), floats(16, 32, 16, 32), floats(32, 16, 32, 16))

# ---- signals, complex numbers, integers
program("fft_1m", lambda x: jnp.fft.fft(x), floats(1048576, t=c64))
program("fft_batch_256", lambda x: jnp.fft.fft(x), floats(2048, 256, t=c64))
program("rfft_1000", lambda x: jnp.fft.rfft(x), floats(512, 1000))
program("irfft", lambda x: jnp.fft.irfft(x), floats(512, 513, t=c64))
program("fft2_256", lambda x: jnp.fft.fft2(x), floats(8, 256, 256, t=c64))
program("fftn3", lambda x: jnp.fft.fftn(x), floats(64, 64, 64, t=c64))
program("fftconv", lambda x, k: jnp.fft.irfft(jnp.fft.rfft(x, 8192) * jnp.fft.rfft(k, 8192)), floats(64, 4096), floats(64, 4096))
program("fftshift", lambda x: jnp.fft.fftshift(x), floats(1024, 1024))
program("stft", lambda x: jsp.signal.stft(x, nperseg=256)[2], floats(8, 16384))
program(
    "hilbert",
    lambda x: (lambda n: jnp.abs(jnp.fft.ifft(jnp.fft.fft(x) * jnp.where(jnp.arange(n) < n // 2, 2.0, 0.0))))(x.shape[-1]),
    floats(64, 4096),
)
program("dct", lambda x: jsp.fft.dct(x), floats(256, 512))
program("fir_conv", lambda x, k: jnp.convolve(x, k, mode="same"), floats(100000), floats(63))
program("correlate2d", lambda x, k: jsp.signal.correlate2d(x, k, mode="valid"), floats(256, 256), floats(11, 11))
program(
    "conv1d_ncw",
    lambda x, k: lax.conv_general_dilated(x, k, (1,), "SAME", dimension_numbers=("NCW", "OIW", "NCW")),
    floats(16, 64, 2048),
    floats(64, 64, 5),
)
program("iir_scan", lambda x: lax.scan(lambda c, v: (lambda y: ((v, y), y))(0.1 * v + 0.2 * c[0] + 0.7 * c[1]), (0.0, 0.0), x)[1], floats(20000))
program(
    "spectrogram_mel",
    lambda x, m: jnp.log(jnp.abs(jnp.fft.rfft(x * jnp.hanning(512))) ** 2 @ m + 1e-6),
    floats(1024, 512),
    floats(257, 80, lo=0, hi=1),
)
program("autocorr", lambda x: jax.vmap(lambda l: (x * jnp.roll(x, l)).sum())(jnp.arange(64)), floats(16384))
program("goertzel_mm", lambda x: jnp.abs(x @ jnp.exp(-2j * jnp.pi * jnp.arange(1024)[:, None] * jnp.arange(32) / 1024)), floats(256, 1024))
program("complex_exp", lambda x: jnp.exp(x), floats(500000, t=c64))
program("complex_log", lambda x: jnp.log(x), floats(500000, t=c64))
program("complex_abs", lambda x: jnp.abs(x), floats(1000000, t=c64))
program("angle", lambda x: jnp.angle(x), floats(1000000, t=c64))
program("complex_sqrt", lambda x: jnp.sqrt(x), floats(500000, t=c64))
program("complex_div", lambda x, y: x / y, floats(1000000, t=c64), floats(1000000, t=c64))
program("expi_phase", lambda t: jnp.exp(1j * t), floats(500000))
program("atan2", lambda y, x: jnp.arctan2(y, x), floats(1000000), floats(1000000))
program("trig_chain", lambda x: jnp.sin(x) ** 2 + jnp.cos(x) ** 2, floats(2000000))
program("sinh_asinh", lambda x: jnp.arcsinh(jnp.sinh(x)), floats(1000000))
program("pow_var", lambda x, y: x**y, floats(1000000, lo=0.1, hi=3), floats(1000000))
program("cbrt", lambda x: jnp.cbrt(x), floats(1000000))
program("log1p_expm1", lambda x: jnp.log1p(jnp.expm1(jnp.abs(x))), floats(1000000))
program("mod_float", lambda x: x % 0.7, floats(2000000))
program("floor_div", lambda x, y: x // y, ints(1000, 1000000), ints(50, 1000000, lo=1))
program("int_mod", lambda x: x % 97, ints(100000, 2000000))
program("popcount", lambda x: lax.population_count(x), ints(2**31 - 1, 2000000))
program("clz", lambda x: lax.clz(x), ints(2**31 - 1, 2000000))
program(
    "hash32",
    lambda x: (lambda x: (x ^ (x >> 16)) * jnp.uint32(0x45D9F3B))((x ^ (x >> 16)) * jnp.uint32(0x45D9F3B)),
    ints(2**31 - 1, 4000000, t=np.uint32),
)
program("unpackbits", lambda x: jnp.unpackbits(x, axis=-1), ints(256, 4096, 128, t=u8))
program(
    "dequant_mm",
    lambda x, w, s: x @ (w.astype(jnp.float32) * s),
    floats(64, 1024),
    ints(127, 1024, 1024, lo=-127, t=np.int8),
    floats(1024, lo=0, hi=1),
)
program("fp8_cast", lambda x: x.astype(jnp.float8_e4m3fn).astype(jnp.float32), floats(2000000))
program(
    "int4ish",
    lambda p: jnp.stack([(p & 15).astype(jnp.int8) - 8, (p >> 4).astype(jnp.int8) - 8], -1).reshape(4096, 2048),
    ints(256, 4096, 1024, t=u8),
)

# ---- sorts, searches, moves, reductions
program("sort_1m", lambda x: jnp.sort(x), floats(1000000))
program("sort_rows", lambda x: jnp.sort(x, 1), floats(4096, 256))
program("sort_cols", lambda x: jnp.sort(x, 0), floats(256, 4096))
program("argsort_rows", lambda x: jnp.argsort(x, 1), floats(1024, 1024))
program("sort_kv", lambda k, v: lax.sort((k, v), num_keys=1), ints(2**30, 500000), floats(500000))
program("lexsort", lambda a, b: jnp.lexsort((a, b)), ints(100, 100000), ints(100, 100000))
program("unique_size", lambda x: jnp.unique(x, size=1000, return_inverse=True), ints(1000, 100000))
program("searchsorted", lambda a, v: jnp.searchsorted(a, v), floats(4096, k="sorted"), floats(100000))
program("searchsorted_sort", lambda a, v: jnp.searchsorted(a, v, method="sort"), floats(4096, k="sorted"), floats(100000))
program("digitize", lambda x: jnp.digitize(x, jnp.linspace(-2, 2, 33)), floats(500000))
program("interp", lambda x, xp, fp: jnp.interp(x, xp, fp), floats(200000), floats(1024, k="sorted"), floats(1024))
program("isin", lambda x, t: jnp.isin(x, t), ints(100000, 100000), ints(100000, 64))
program("where_size", lambda x: jnp.nonzero(x > 1, size=100000)[0], floats(500000))
program("compress_cumsum", lambda x: jnp.zeros(500001).at[jnp.where(x > 0, jnp.cumsum(x > 0) - 1, 500000)].set(x), floats(500000))
program("argmax_rows", lambda x: x.argmax(1), floats(4096, 1024))
program("argmin_cols", lambda x: x.argmin(0), floats(4096, 1024))
program("cumsum_rows", lambda x: jnp.cumsum(x, 1), floats(4096, 1024))
program("cumsum_cols", lambda x: jnp.cumsum(x, 0), floats(4096, 1024))
program("cumsum_1m", lambda x: jnp.cumsum(x), floats(1000000))
program("cumprod", lambda x: jnp.cumprod(x, 1), floats(1024, 1024, lo=0.9, hi=1.1))
program("cummax", lambda x: lax.cummax(x, axis=1), floats(1024, 1024))
program("diff", lambda x: jnp.diff(x, axis=1), floats(4096, 1024))
program("run_length", lambda x: jnp.cumsum(jnp.concatenate([jnp.zeros(1, jnp.int32), (x[1:] != x[:-1]).astype(jnp.int32)])), ints(3, 1000000))
program("scatter_set", lambda x, i, v: x.at[i].set(v), floats(1000000), ints(1000000, 100000), floats(100000))
program("scatter_add_1d", lambda i, v: jnp.zeros(10000).at[i].add(v), ints(10000, 1000000), floats(1000000))
program("scatter_2d", lambda i, j, v: jnp.zeros((512, 512)).at[i, j].add(v), ints(512, 200000), ints(512, 200000), floats(200000))
program("gather_2d", lambda x, i, j: x[i, j], floats(1024, 1024), ints(1024, 500000), ints(1024, 500000))
program("take_cols", lambda x, i: x[:, i], floats(4096, 512), ints(512, 256))
program("take_along", lambda x, i: jnp.take_along_axis(x, i, 1), floats(4096, 256), ints(256, 4096, 256))
program("onehot_mm", lambda i, t: nn.one_hot(i, 1000) @ t, ints(1000, 2048), floats(1000, 128))
program("triu_mask", lambda x: jnp.triu(x) + jnp.tril(x, -1) * 2, floats(2048, 2048))
program("diag_embed", lambda x: x[:, :, None] * jnp.eye(64), floats(512, 64))
program("tile", lambda x: jnp.tile(x, (4, 8)), floats(512, 256))
program("meshgrid_eval", lambda x, y: (lambda X, Y: jnp.sin(X) * jnp.cos(Y))(*jnp.meshgrid(x, y)), floats(1024), floats(1024))
program("block_diag_roll", lambda x: jnp.roll(x, 37, 1), floats(2048, 2048))
program("reverse_last", lambda x: x[:, ::-1], floats(4096, 1024))
program("stride2", lambda x: x[:, ::2] + x[:, 1::2], floats(4096, 2048))
program("interleave", lambda a, b: jnp.stack([a, b], -1).reshape(4096, 2048), floats(4096, 1024), floats(4096, 1024))
program("concat_last", lambda a, b: jnp.concatenate([a, b], -1), floats(4096, 256), floats(4096, 768))
program("split_sum", lambda x: sum(jnp.split(x, 8, 1)), floats(4096, 2048))
program("transpose_0213", lambda x: x.transpose(0, 2, 1, 3), floats(8, 512, 16, 64))
program("transpose_210", lambda x: x.transpose(2, 1, 0), floats(128, 256, 64))
program("sum_mid", lambda x: x.sum(1), floats(64, 512, 256))
program("sum_02", lambda x: x.sum((0, 2)), floats(64, 512, 256))
program("max_all", lambda x: x.max(), floats(8000000))
program("any_rows", lambda x: (x > 3).any(1), floats(4096, 1024))
program("count_nonzero", lambda x: jnp.count_nonzero(x > 0, axis=0), floats(4096, 1024))
program("sum_i8", lambda x: x.astype(jnp.int32).sum(1), ints(100, 4096, 4096, t=np.int8))
program("prod_rows", lambda x: x.prod(1), floats(65536, 16))
program("sum_small_last", lambda x: x.sum(-1), floats(1000000, 3))
program("softmax_small_last", lambda x: nn.softmax(x, -1), floats(200000, 10))
program("nan_mean", lambda x: jnp.nanmean(x, 1), floats(4096, 1024))

# ---- random numbers
program("uniform", lambda k: random.uniform(key(k), (1000000,)), KEY)
program("normal", lambda k: random.normal(key(k), (1000000,)), KEY)
program("bernoulli", lambda k: random.bernoulli(key(k), 0.3, (1000000,)), KEY)
program("randint", lambda k: random.randint(key(k), (1000000,), 0, 1000), KEY)
program("gumbel_max", lambda k, x: (x + random.gumbel(key(k), x.shape)).argmax(-1), KEY, floats(512, 1000))
program("permutation", lambda k: random.permutation(key(k), 100000), KEY)
program("choice_p", lambda k, p: random.choice(key(k), 1000, (10000,), p=p / p.sum()), KEY, floats(1000, lo=0, hi=1))
program("poisson", lambda k: random.poisson(key(k), 4.0, (100000,)), KEY)
program("gamma_rng", lambda k: random.gamma(key(k), 2.5, (50000,)), KEY)
program("dirichlet", lambda k: random.dirichlet(key(k), jnp.ones(16), (4096,)), KEY)
program("exponential", lambda k: random.exponential(key(k), (1000000,)), KEY)
program("laplace", lambda k: random.laplace(key(k), (1000000,)), KEY)
program("trunc_normal", lambda k: random.truncated_normal(key(k), -2, 2, (1000000,)), KEY)
program("student_t", lambda k: random.t(key(k), 5.0, (50000,)), KEY)
program("mvn_sample", lambda k, c: random.multivariate_normal(key(k), jnp.zeros(32), c, (8192,)), KEY, floats(32, 32, k="spd"))
program("mc_pi", lambda k: (random.uniform(key(k), (1000000, 2)) ** 2).sum(1).__le__(1.0).mean() * 4, KEY)
program("brownian", lambda k: jnp.cumsum(random.normal(key(k), (1000, 1000)) * 0.03, 1), KEY)
program("black_scholes_mc", lambda k: jnp.maximum(100 * jnp.exp(0.02 + 0.2 * random.normal(key(k), (1000000,))) - 105, 0).mean(), KEY)
program("split_many", lambda k: random.key_data(random.split(key(k), 100000)), KEY)
program("fold_in_vmap", lambda k, i: jax.vmap(lambda i: random.uniform(random.fold_in(key(k), i), (4,)))(i), KEY, ints(100000, 10000))

# ---- training, loops, dynamic programming
program("hessian", lambda w, x: jax.hessian(lambda w: jnp.log1p(jnp.exp(x @ w)).sum())(w), floats(32), floats(1024, 32))
program("jacfwd", lambda x, w: jax.vmap(jax.jacfwd(lambda x: jnp.tanh(x @ w)))(x), floats(256, 16), floats(16, 32))
program("instancenorm", lambda x: (x - x.mean((2, 3), keepdims=True)) * lax.rsqrt(x.var((2, 3), keepdims=True) + 1e-5), floats(8, 64, 64, 64))
program(
    "se_block", lambda x, a, b: x * nn.sigmoid(nn.relu(x.mean((1, 2)) @ a) @ b)[:, None, None], floats(16, 56, 56, 64), floats(64, 16), floats(16, 64)
)
program("huber", lambda a, b: jnp.where(jnp.abs(a - b) < 1, 0.5 * (a - b) ** 2, jnp.abs(a - b) - 0.5).mean(), floats(2000000), floats(2000000))
program(
    "triplet",
    lambda a, p, n: jnp.maximum(((a - p) ** 2).sum(1) - ((a - n) ** 2).sum(1) + 0.2, 0).mean(),
    floats(8192, 128),
    floats(8192, 128),
    floats(8192, 128),
)
program("gelu_exact", lambda x: nn.gelu(x, approximate=False), floats(2000000))
program("mish", lambda x: x * jnp.tanh(nn.softplus(x)), floats(2000000))
program("swish_grad", lambda x: jax.vmap(jax.grad(nn.silu))(x), floats(2000000))
program("posenc", lambda x: jnp.concatenate([f(x * 2.0**i) for i in range(10) for f in (jnp.sin, jnp.cos)], -1), floats(65536, 3))
program("switch_vmap", lambda i, x: jax.vmap(lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.exp], x))(i, x), ints(3, 100000), floats(100000))
program("tree_reduce_scan", lambda x: lax.reduce(x, 1.0, lax.mul, (1,)), floats(16384, 64, lo=0.9, hi=1.1))
program("minplus_mm", lambda a, b: (a[:, :, None] + b[None]).min(1), floats(256, 256), floats(256, 256))
program("logmatmul", lambda a, b: jsp.special.logsumexp(a[:, :, None] + b[None], axis=1), floats(128, 128), floats(128, 128))
program("bf16_sum", lambda x: x.sum(0), floats(4096, 2048, t=bf16))
program("f16_gelu", lambda x: nn.gelu(x), floats(2000000, t=np.float16))
program("bf16_mul_add", lambda x, y: x * y + x, floats(4000000, t=bf16), floats(4000000, t=bf16))
program("fori_recur", lambda x: lax.fori_loop(1, 20000, lambda i, x: x.at[i].set(0.5 * x[i - 1] + x[i]), x), floats(20000))
program("fori_rows", lambda x: lax.fori_loop(1, 1000, lambda i, x: x.at[i].set(jnp.tanh(x[i - 1] + x[i])), x), floats(1000, 256))
program("stack_machine", lambda x: lax.while_loop(lambda s: s[1] < 5000, lambda s: (s[0].at[s[1] % 64].add(1.0), s[1] + 1), (x, 0))[0], floats(64))
program("hist_loop", lambda i: lax.fori_loop(0, 20000, lambda k, h: h.at[i[k]].add(1), jnp.zeros(256, jnp.int32)), ints(256, 20000))
program("rows3_scale", lambda x, s: x * s[:, None], floats(500000, 3), floats(500000))
program("rows4_bias", lambda x, b: jnp.maximum(x + b, 0), floats(500000, 4), floats(4))
program("rgb_bgr", lambda x: x[..., ::-1], floats(8, 512, 512, 3))
program("rgb_mean_sub", lambda x, m: x - m, floats(8, 512, 512, 3), floats(3))
program("rgba_blend", lambda a, b: a[..., :3] * a[..., 3:] + b * (1 - a[..., 3:]), floats(1000000, 4, lo=0, hi=1), floats(1000000, 3))
program("hwc_bright_u8", lambda x: jnp.clip(x.astype(jnp.float32) * 1.2 + 10, 0, 255).astype(jnp.uint8), ints(256, 8, 512, 512, 3, t=u8))
program("rgb_bgr_u8", lambda x: x[..., ::-1], ints(256, 8, 512, 512, 3, t=u8))
program("pad_last3to4", lambda x: jnp.pad(x, ((0, 0), (0, 1))), floats(500000, 3))
program("homog", lambda x: jnp.concatenate([x, jnp.ones((x.shape[0], 1))], 1) @ jnp.arange(16.0).reshape(4, 4), floats(200000, 3))
program("complex_pairs", lambda x: lax.complex(x[..., 0], x[..., 1]), floats(1000000, 2))
program("aos_soa", lambda x: (x[:, 0], x[:, 1], x[:, 2]), floats(1000000, 3))
program("smtn", lambda a, b: jnp.einsum("kbm,bnk->bnm", a, b), floats(8, 1000, 16), floats(1000, 5, 8))
program("div_i8", lambda x, y: x // y, ints(127, 1000000, t=np.int8, lo=-127), ints(50, 1000000, lo=1, t=np.int8))
program("rem_u32", lambda x, y: x % y, ints(2**32 - 1, 1000000, t=np.uint32), ints(5000, 1000000, lo=1, t=np.uint32))
program("rem_scalar", lambda x, y: x % y, ints(2**31 - 1, 1000000), ints(5000, 1, lo=1))
program("gcd", lambda a, b: jnp.gcd(a, b), ints(100000, 100000, lo=1), ints(100000, 100000, lo=1))
program("vit_softmax", lambda x: nn.softmax(x / 8), floats(12, 12, 197, 197))
program("softmax_ax0", lambda x: nn.softmax(x, 0), floats(1024, 4096))
program("softmax_ax1of3", lambda x: nn.softmax(x, 1), floats(64, 128, 256))
program("softmax_ax0_big", lambda x: nn.softmax(x, 0), floats(4096, 4096))
program("lse_ax0", lambda x: jsp.special.logsumexp(x, axis=0), floats(4096, 4096))
program("lse_ax0_small", lambda x: jsp.special.logsumexp(x, axis=0), floats(64, 64))
program("norm_ax0", lambda x: (x - x.mean(0)) / jnp.sqrt(x.var(0) + 1e-5), floats(8192, 1024))
program("norm_ch", lambda x: (x - x.mean(1, keepdims=True)) / jnp.sqrt(x.var(1, keepdims=True) + 1e-5), floats(16, 64, 3136))
program("softmax_ax0_bf16", lambda x: nn.softmax(x, 0), floats(1024, 4096, t=bf16))
program("softmax_ch3", lambda x: nn.softmax(x, 1), floats(8, 21, 256, 256))
