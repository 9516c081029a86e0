#!/usr/bin/env bash
# calls and transfers of JAX (or `everyday [REGEX]`: everyday functions), on shardc and on jaxlib's own CPU client; needs a Python with jax: PYTHON, else the one of ./dev jax-test
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-$root/build/jax-venv/bin/python}
export SHARDC_PJRT_LIBRARY=${SHARDC_PJRT_LIBRARY:-$root/build/release/libshardc_pjrt.so}
program=dispatch
if [ "${1:-}" = everyday ]; then
    program=everyday
    shift
fi
PYTHONPATH=$root/plugin/python exec "$python" "$root/bench/jax/$program.py" "$@"
