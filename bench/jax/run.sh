#!/usr/bin/env bash
# calls and transfers of JAX, on shardc and on jaxlib's own CPU client; needs a Python with jax: PYTHON, else the one of ./dev jax-test
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-$root/build/jax-venv/bin/python}
export SHARDC_PJRT_LIBRARY=${SHARDC_PJRT_LIBRARY:-$root/build/release/libshardc_pjrt.so}
PYTHONPATH=$root/plugin/python exec "$python" "$root/bench/jax/dispatch.py" "$@"
