"""PyTorch/XLA runs on shardc: PJRT_DEVICE=SHARDC. torch_xla registers the class by itself when this package is installed; without that:

    from torch_xla.experimental import plugins
    import shardc_torch
    plugins.register_plugin("SHARDC", shardc_torch.ShardcPlugin())

The number of virtual devices is that of SHARDC_NUM_DEVICES; 1 without it.
"""

import ctypes
import os
import pathlib

from torch_xla.experimental import plugins

_kept = []  # the library that the plugin needs


class ShardcPlugin(plugins.DevicePlugin):
    def library_path(self) -> str:
        """SHARDC_PJRT_LIBRARY, or the library in the wheel."""
        given = os.environ.get("SHARDC_PJRT_LIBRARY")
        installed = pathlib.Path(__file__).resolve().parent.parent / "jax_plugins" / "shardc" / "libshardc_pjrt.so"
        path = pathlib.Path(given) if given else installed
        if not path.exists():
            raise FileNotFoundError(f"shardc: there is no {path}; set SHARDC_PJRT_LIBRARY")
        beside = path.resolve().parent / "libshardc.so.0"
        if beside.exists():  # the plugin finds it by its name then
            _kept.append(ctypes.CDLL(str(beside)))
        return str(path.resolve())

    def configure_single_process(self):
        """One process has all devices already."""

    def client_create_options(self) -> dict:
        count = os.environ.get("SHARDC_NUM_DEVICES")
        return {"num_devices": int(count)} if count else {}
