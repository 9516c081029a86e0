"""Python callbacks (jax.pure_callback, io_callback, debug.print) on shardc.

jaxlib's handler of these callbacks needs a state that only its own CPU client makes. Its handler of buffer callbacks needs none, and gets the same
arguments as buffers; so callbacks are wrapped to take those. Programs, and what the callbacks see, stay the same.
"""

import numpy as np

# The handlers that take the place of others.
HANDLERS = {
    "xla_ffi_python_cpu_callback": "xla_buffer_python_cpu_callback",
    "xla_ffi_partitioned_python_cpu_callback": "xla_buffer_python_cpu_callback",
}


def _takes_token(callback) -> bool:
    return "callback_without_token" in callback.__code__.co_freevars


def _on_buffers(callback):
    takes_token = _takes_token(callback)

    def call(_, *buffers):
        arguments = [np.asarray(b).copy() for b in buffers if not b.writeable]
        outputs = [b for b in buffers if b.writeable]
        results = callback(None, *arguments)[1:] if takes_token else callback(*arguments)
        for output, result in zip(outputs, results, strict=True):
            np.asarray(output)[...] = result
        return ()

    return call


class _ExecutionContext:
    """What a buffer callback is told of its execution. jaxlib's own reads the stream through C++ that only its own clients have."""

    def __init__(self, context):
        self._context = context

    @property
    def stage(self):
        return self._context.stage

    @property
    def stream(self):
        from jax.errors import JaxRuntimeError

        raise JaxRuntimeError("UNIMPLEMENTED: XLA FFI GPU context is not available")


def _in_context(callback):
    return lambda context, *buffers: callback(_ExecutionContext(context), *buffers)


_WRAPPERS = {"jax._src.callback": _on_buffers, "jax._src.buffer_callback": _in_context}  # by the module that makes the callback


def install():
    from jax._src.interpreters import mlir

    add = mlir.ModuleContext.add_host_callback

    def add_host_callback(self, callback):
        wrap = _WRAPPERS.get(getattr(callback, "__module__", ""))
        if wrap and "shardc" in self.get_backend().platform_version:
            callback = wrap(callback)
        return add(self, callback)

    mlir.ModuleContext.add_host_callback = add_host_callback
