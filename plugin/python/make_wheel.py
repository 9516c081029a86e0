"""Makes the wheel of the plugin: make_wheel.py LIBRARIES VERSION OUTPUT (folders). `./dev wheel` calls this.

In it are the packages jax_plugins.shardc, with the installed libraries, and shardc_torch, and the entry points by which JAX and PyTorch/XLA find them. LLVM, OpenMP and libffi are
those of the system (Debian: libllvm22, libgomp1, libffi8).
"""

import base64
import hashlib
import pathlib
import platform
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = ["libshardc_pjrt.so", "libshardc.so.0"]


def main():
    libraries, version, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    tag = f"py3-none-linux_{platform.machine()}"
    folder.mkdir(exist_ok=True)
    path = folder / f"shardc_jax-{version}-{tag}.whl"
    info = f"shardc_jax-{version}.dist-info"
    files = {f"jax_plugins/shardc/{file.name}": file.read_bytes() for file in sorted((HERE / "jax_plugins/shardc").glob("*.py"))}
    files |= {f"shardc_torch/{file.name}": file.read_bytes() for file in sorted((HERE / "shardc_torch").glob("*.py"))}
    files |= {f"jax_plugins/shardc/{name}": (libraries / name).read_bytes() for name in LIBRARIES}
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: shardc-jax\nVersion: {version}\nSummary: JAX and PyTorch/XLA run on shardc\nRequires-Python: >=3.9\n"
    ).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: shardc\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/entry_points.txt"] = b"[jax_plugins]\nshardc = jax_plugins.shardc\n[torch_xla.plugins]\nshardc = shardc_torch:ShardcPlugin\n"
    record = ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, contents in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(contents)}\n"
            wheel.writestr(name, contents)
        wheel.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
