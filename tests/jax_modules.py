#!/usr/bin/env python3
"""Programs that JAX itself compiles, native against the evaluator, and against XLA. Optional: needs a Python with jax, of which it makes
itself one; nothing else of the project does.

  JAX_DUMP_IR_TO=DUMP JAX_DUMP_IR_MODES=stablehlo python PROGRAM_OR_TEST.py     # JAX writes what it compiles
  tests/jax_modules.py [OPTIONS] DUMP...                                        # folders of modules, or single modules

Every module (equal ones once) runs natively and in the evaluator on the same drawn inputs. The classes:

  right      the results are the same but for rounding
  differs    they are not, or (with --xla) they are not XLA's, which is run for programs of one device
  unstable   rounding decides: native and evaluator differ as much as the evaluator does from itself when the inputs are changed in their last bits,
             or by less than the last bits of the largest input
  refused    needs what is not implemented (exit status 77)
  error      is taken for wrong (exit status 1)
  crashed    ended by a signal
  timeout    took longer than --timeout seconds

A line is printed for each that is not right, and for each that takes more than 20 seconds of processor time. Drawn inputs may not suit a program: where it divides by
zero, takes the logarithm of a negative number or subtracts equal numbers, results may differ without being wrong; where results that differ are not
finite, smaller inputs are tried. Exits with 1 unless all are right, unstable or refused.
"""
import argparse
import collections
import concurrent.futures
import glob
import hashlib
import os
import re
import resource
import select
import subprocess
import sys
import tempfile
import threading

VERSION = "0.10.2"  # of jax, for the Python that is made
TOLERANCES = {"f64": 1e-10, "f32": 2e-4, "f16": 2e-2, "bf16": 5e-2}  # relative; of narrower types: one step
STEPS = {"float64": 2.0**-51, "float32": 2.0**-22, "complex128": 2.0**-51, "complex64": 2.0**-22}  # two units in the last place
NARROW = {"bf16": "bfloat16", "f8E4M3": "float8_e4m3", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2", "f8E3M4": "float8_e3m4",
          "f8E4M3FNUZ": "float8_e4m3fnuz", "f8E5M2FNUZ": "float8_e5m2fnuz", "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
          "f8E8M0FNU": "float8_e8m0fnu", "f4E2M1FN": "float4_e2m1fn", "f6E2M3FN": "float6_e2m3fn", "f6E3M2FN": "float6_e3m2fn"}


def enter_python_with_jax(folder):
    """Goes on in a Python that has jax, made in `folder` where this one has none."""
    try:
        import jax  # noqa: F401
        return
    except ImportError:
        pass
    python = os.path.join(folder, "bin", "python")
    if os.path.realpath(sys.prefix) == os.path.realpath(folder):
        sys.exit("jax_modules.py: %s has no jax" % folder)
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "jax==" + VERSION], check=True)
    os.execv(python, [python] + sys.argv)


def numpy_type(element):
    import ml_dtypes
    import numpy as np
    if element in NARROW:
        return np.dtype(getattr(ml_dtypes, NARROW[element]))
    integer = re.fullmatch(r"(u?)i(\d+)", element)
    if integer and int(integer[2]) < 8:
        return np.dtype(bool if element == "i1" else getattr(ml_dtypes, "%sint%s" % (integer[1], integer[2])))
    return np.dtype({"f16": "float16", "f32": "float32", "f64": "float64", "complex<f32>": "complex64", "complex<f64>": "complex128"}.get(
        element, "%sint%s" % (integer[1], integer[2]) if integer else element))


class Program:
    """The entry's types, and a name that equal programs share."""

    def __init__(self, path):
        from jax._src.interpreters import mlir
        from jax._src.lib.mlir import ir
        self.path = path
        with mlir.make_ir_context(), ir.Location.unknown():
            with open(path, encoding="utf-8") as file:
                module = ir.Module.parse(file.read())
            attributes = module.operation.attributes
            self.one_device = all(name not in attributes or ir.IntegerAttr(attributes[name]).value == 1
                                  for name in ("mhlo.num_partitions", "mhlo.num_replicas"))
            main = next(op for op in module.body if op.operation.name == "func.func" and op.sym_name.value == "main")
            self.inputs = [self.array(ir, t) for t in main.type.inputs]
            self.results = [self.array(ir, t) for t in main.type.results]
            text = module.operation.get_asm(enable_debug_info=False)
        text = re.sub(r'(module) @\S+|jax\.result_info = "[^"]*"', "\\1", text)
        self.name = hashlib.sha1(text.encode()).hexdigest()

    @staticmethod
    def array(ir, t):
        """Element type and shape; None where it is no array."""
        if not isinstance(t, ir.RankedTensorType) or not t.has_static_shape:
            return None
        return str(t.element_type), tuple(t.shape)


def draw(random, element, shape, scale):
    if element == "i1":
        return random.integers(0, 2, shape).astype(bool)
    integer = re.fullmatch(r"(u?)i(\d+)", element)
    if integer:
        return random.integers(0, 2 if int(integer[2]) <= 2 else 8, shape).astype(numpy_type(element))
    numbers = random.normal(0, scale, shape)
    if element.startswith("complex"):
        numbers = numbers + 1j * random.normal(0, scale, shape)
    return numbers.astype(numpy_type(element)) if shape else numpy_type(element).type(numbers)


def save(path, array):
    """With the raw bits of types that .npy lacks."""
    import numpy as np
    array = np.asarray(array)
    if array.dtype.name not in np.sctypeDict or array.dtype.name.startswith("float8"):
        array = array.view("u%d" % array.dtype.itemsize)
    np.save(path, array)


def load(path, element):
    import numpy as np
    array = np.load(path)
    return array if array.dtype == numpy_type(element) else array.view(numpy_type(element))


def difference(element, actual, expected):
    """What differs; None: nothing but rounding."""
    import numpy as np
    if actual.shape != expected.shape:
        return "shape %s, expected %s" % (actual.shape, expected.shape)
    if re.fullmatch(r"u?i\d+", element):
        count = np.count_nonzero(actual != expected)
        return "%d of %d elements" % (count, actual.size) if count else None
    real = re.sub(r"complex<(.*)>", r"\1", element)
    a, b = (np.ravel(x.astype(complex if real != element else float)).view(float) for x in (actual, expected))
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return "NaNs at other places"
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return "infinities at other places"
    a, b = a[finite], b[finite]
    if not a.size:
        return None
    largest = max(abs(b).max(), abs(a).max())
    bad = abs(a - b) > TOLERANCES.get(real, 0.26) * np.maximum(abs(b), min(1.0, largest) if largest < 1 else largest * 0.1) + 1e-37
    worst = np.argmax(np.where(bad, abs(a - b), -1))
    return "%d of %d elements, %.9g instead of %.9g" % (np.count_nonzero(bad), a.size, a[worst], b[worst]) if bad.any() else None


class Xla:
    """XLA in a process of its own, since it may abort."""
    threads = threading.local()

    @classmethod
    def run(cls, path, folder):
        """True when XLA left its results in folder/xla."""
        process = getattr(cls.threads, "process", None)
        if process is None or process.poll() is not None:
            process = cls.threads.process = subprocess.Popen(
                [sys.executable, __file__, "--serve-xla"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            process.stdin.write("%s\t%s\n" % (path, folder))
            process.stdin.flush()
            if select.select([process.stdout], [], [], 120)[0]:
                return process.stdout.readline().strip() == "done"
        except BrokenPipeError:
            return False
        process.kill()
        return False

    @staticmethod
    def serve():
        os.environ["JAX_PLATFORMS"] = "cpu"
        import jax
        from jax._src.interpreters import mlir
        from jax._src.lib import xla_client
        from jax._src.lib.mlir import ir
        jax.config.update("jax_enable_x64", True)
        device = jax.local_devices()[0]
        for line in sys.stdin:
            path, folder = line.rstrip("\n").split("\t")
            try:
                program = Program(path)
                with mlir.make_ir_context(), ir.Location.unknown(), open(path, encoding="utf-8") as file:
                    executable = device.client.compile_and_load(
                        ir.Module.parse(file.read()), xla_client.DeviceList((device,)), xla_client.CompileOptions(), [])
                inputs = [jax.device_put(load("%s/in%d.npy" % (folder, i), element).reshape(shape), device)
                          for i, (element, shape) in enumerate(program.inputs)]
                os.mkdir(folder + "/xla")
                for i, arrays in enumerate(executable.execute_sharded(inputs).disassemble_into_single_device_arrays()):
                    save("%s/xla/out%d.npy" % (folder, i), arrays[0])
                print("done", flush=True)
            except Exception as error:
                print("failed", str(error).split("\n")[0], flush=True)


def run_shardc(command, timeout):
    """Exit status (None: too slow), diagnostics, seconds of processor time."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_CPU, (timeout, timeout + 1)))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read().decode(errors="replace")
    seconds = usage.ru_utime + usage.ru_stime
    return (None if process.returncode < 0 and seconds >= timeout else process.returncode), text, seconds


class Trial:
    """Runs of a program on the same inputs, in a folder."""

    def __init__(self, program, options, folder):
        self.program, self.options, self.folder = program, options, folder
        self.elements = [array[0] for array in program.results if array]
        self.seconds = 0

    def draw_inputs(self, name, scale, is_moved=False):
        """The options that name the files. Moved: floating-point numbers are changed in their last bits."""
        import numpy as np
        if None in self.program.inputs:
            return []
        random = np.random.default_rng(int(self.program.name[:8], 16))
        signs = np.random.default_rng(1)
        arrays = [draw(random, *array, scale) for array in self.program.inputs]
        self.largest = max((abs(array.astype(complex)).max() for array in arrays if array.size), default=0)
        if is_moved:
            for i, array in enumerate(arrays):
                step = STEPS.get(array.dtype.name)
                if step:
                    arrays[i] = (array * (1 + step * signs.choice([-1, 1], array.shape))).astype(array.dtype)
        paths = ["%s/%s%d.npy" % (self.folder, name, i) for i in range(len(arrays))]
        for path, array in zip(paths, arrays):
            save(path, array)
        return ["--in=" + path for path in paths]

    def run(self, name, flags, inputs):
        """None, or the class and what is to say of it."""
        status, errors, seconds = run_shardc(
            [self.options.shardc, "run", self.program.path, "--out-dir=%s/%s" % (self.folder, name)] + flags + inputs, self.options.timeout)
        self.seconds = max(self.seconds, seconds)
        if status == 0:
            return None
        kind = "timeout" if status is None else "crashed" if status < 0 else "refused" if status == 77 else "error"
        line = next((line for line in errors.split("\n") if "error:" in line), errors[-200:])
        return kind, "%s: %s" % (name, line.strip())

    def result(self, name, i):
        return load("%s/%s/out%d.npy" % (self.folder, name, i), self.elements[i])

    def compare(self, name, peer):
        """The number of the first result that differs, and how; None: nothing but rounding."""
        for i, element in enumerate(self.elements):
            problem = difference(element, self.result(name, i), self.result(peer, i))
            if problem:
                return i, "%s and %s, result %d (%s): %s" % (name, peer, i, element, problem)
        return None

    def is_unstable(self, i, scale):
        """Does result i of the evaluator move as much when the inputs move in their last bits? Or is it what equal numbers of their size leave?"""
        import numpy as np
        native, expected = (self.result(name, i) for name in ("native", "interpret"))
        step = STEPS.get(expected.dtype.name)
        if step and np.isfinite(native).all() and np.isfinite(expected).all() and expected.size:
            if abs(native - expected).max() <= 8 * step * self.largest:
                return True
        return self.run("moved", ["--interpret"], self.draw_inputs("moved", scale, True)) is None and bool(
            difference(self.elements[i], self.result("moved", i), self.result("interpret", i)))


def check_scaled(program, options, scale):
    """Class, what is to say of it, seconds, and whether smaller inputs may say more."""
    import numpy as np
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(program, options, folder)
        inputs = trial.draw_inputs("in", scale)
        failed = trial.run("native", ["--threads=2"], inputs) or trial.run("interpret", ["--interpret"], inputs)
        if failed:
            return *failed, trial.seconds, False
        found = trial.compare("native", "interpret")
        if found:
            numbers = trial.result("interpret", found[0])
            is_finite = numbers.dtype.kind not in "fcV" or bool(np.isfinite(numbers.astype(complex)).all())
            kind = "unstable" if trial.is_unstable(found[0], scale) else "differs"
            return kind, found[1], trial.seconds, not is_finite
        if options.xla and program.one_device and None not in program.inputs and Xla.run(program.path, folder):
            found = trial.compare("native", "xla")
            return ("differs", found[1], trial.seconds, False) if found else ("right", "with xla", trial.seconds, False)
        return "right", "", trial.seconds, False


def check(program, options):
    """Class, what is to say of it, seconds."""
    *answer, may_be_large = check_scaled(program, options, 1)
    if answer[0] == "differs" and may_be_large:
        *answer, _ = check_scaled(program, options, 1 / 16)
    return answer


def find(paths, most):
    """Programs that are not equal; of each folder `most`, spread over it."""
    seen = set()
    for path in paths:
        files = [path] if os.path.isfile(path) else sorted(glob.glob(glob.escape(path) + "/*.mlir"))
        found = 0
        for file in sorted(files, key=lambda name: hashlib.sha1(os.path.basename(name).encode()).digest()):
            if found == most:
                break
            try:
                program = Program(file)
            except Exception as error:  # jaxlib cannot read it
                print("left out %s: %s" % (file, str(error).split("\n")[0]))
                continue
            if program.name not in seen:
                seen.add(program.name)
                found += 1
                yield program


def main():
    if sys.argv[1:] == ["--serve-xla"]:
        return Xla.serve()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shardc", default="build/release/shardc")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--most", type=int, help="so many modules of each folder, spread over it")
    parser.add_argument("--timeout", type=int, default=120, help="seconds of processor time for each run")
    parser.add_argument("--venv", default="build/jax", help="where a Python with jax is made, when this one has none")
    parser.add_argument("--xla", action="store_true", help="compare with XLA, too")
    parser.add_argument("dumps", nargs="+")
    options = parser.parse_args()
    enter_python_with_jax(options.venv)
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = {pool.submit(check, program, options): program for program in find(options.dumps, options.most)}
        for future in concurrent.futures.as_completed(waiting):
            kind, text, seconds = future.result()
            counts[kind] += 1
            counts["compared with XLA"] += text == "with xla"
            if kind != "right" or seconds > 20:
                print("%s %s (%.1f s): %s" % (kind, waiting[future].path, seconds, text), flush=True)
    print(", ".join("%d %s" % (count, kind) for kind, count in counts.items()))
    return 1 if any(counts[kind] for kind in ("differs", "error", "crashed", "timeout")) else 0


if __name__ == "__main__":
    sys.exit(main())
