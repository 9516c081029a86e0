"""JAX runs on shardc: registers libshardc_pjrt.so as the platform "shardc" (JAX_PLATFORMS=shardc).

JAX calls initialize() by itself when this package is installed. The number of virtual devices is that of SHARDC_NUM_DEVICES,
of --xla_force_host_platform_device_count in XLA_FLAGS, or of jax.config.jax_num_cpu_devices; 1 without them.
"""

import ctypes
import os
import pathlib

from . import host_callbacks

_kept = []  # what the library calls back


def library_path() -> str:
    """The plugin: SHARDC_PJRT_LIBRARY, or the library in this package."""
    given = os.environ.get("SHARDC_PJRT_LIBRARY")
    path = pathlib.Path(given) if given else pathlib.Path(__file__).parent / "libshardc_pjrt.so"
    if not path.exists():
        raise FileNotFoundError(f"shardc: there is no {path}; set SHARDC_PJRT_LIBRARY")
    return str(path.resolve())


def _find_handler(name: bytes):
    """The handler of a foreign function: what jaxlib brings (LAPACK, callbacks), and jax.ffi.register_ffi_target adds."""
    from jaxlib import xla_client

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype = ctypes.c_void_p
    pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    capsule_name = ctypes.pythonapi.PyCapsule_GetName
    capsule_name.restype = ctypes.c_char_p
    capsule_name.argtypes = [ctypes.py_object]
    try:
        name = name.decode()
        target = xla_client.custom_call_targets("Host").get(host_callbacks.HANDLERS.get(name, name))
        if isinstance(target, dict):
            target = target.get("execute")
        return pointer(target, capsule_name(target)) if target is not None else None
    except Exception:  # nothing may leave a function that C calls
        return None


_WRITE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)
_CONVERT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_int, _WRITE, ctypes.c_void_p)


def _convert_program(program: bytes, as_proto: int, write, user) -> int:
    """Writes StableHLO's text as XLA's: for people, or the message HloProto. 0: done."""
    try:
        from jaxlib import xla_client

        computation = xla_client._xla.mlir.mlir_module_to_xla_computation(program.decode(), use_tuple_args=False, return_tuple=False)
        if as_proto:
            module = computation.as_serialized_hlo_module_proto()
            size, varint = len(module), b""
            while size > 0x7F:
                varint, size = varint + bytes([size & 0x7F | 0x80]), size >> 7
            text = b"\x0a" + varint + bytes([size]) + module  # HloProto.hlo_module = 1
        else:
            text = computation.as_hlo_text().encode()
        write(user, text, len(text))
        return 0
    except Exception:  # nothing may leave a function that C calls
        return 1


def _options():
    from jax._src import config

    devices = getattr(config, "num_cpu_devices", None)
    count = devices.value if devices is not None else -1
    return {"num_devices": count} if count > 0 else {}


def initialize():
    """Called by JAX."""
    from jax._src import xla_bridge
    from jaxlib import xla_client

    # Handlers for "cpu" wait in a queue until there is jaxlib's own CPU client, or somebody asks for them.
    xla_client.register_custom_call_handler("cpu", xla_client._xla.register_custom_call_target)
    xla_client.register_custom_type_handler("cpu", xla_client._xla.register_custom_type)

    path = library_path()
    beside = pathlib.Path(path).parent / "libshardc.so.0"
    if beside.exists():  # the plugin finds it by its name then
        _kept.append(ctypes.CDLL(str(beside)))
    library = ctypes.CDLL(path)
    find = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)(_find_handler)
    library.shardc_pjrt_find_handlers(find)
    convert = _CONVERT(_convert_program)
    library.shardc_pjrt_convert_programs(convert)
    _kept.extend([library, find, convert])
    host_callbacks.install()
    xla_bridge.register_plugin("shardc", priority=500, library_path=path, options=_options)
