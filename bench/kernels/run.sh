#!/usr/bin/env bash
# Matrix products, convolutions and other kernels of many shapes beside the machine's peaks, which are measured between the runs.
#
#   ./dev bench kernels [FILE] [--threads=N] [--seconds=S] [--only=TEXT] [--cpu=NAME] [--peer-python=PYTHON] [--torch-python=PYTHON]
#
# FILE: bench/kernels/shapes.txt (products and convolutions), special.txt (all other kernels), or one like them; both without it. SHARDC_BUILD names another
# build to measure. Times are minima of many short runs. With the Python of an environment with jax (--peer-python), the programs of special.txt run on XLA:CPU
# in turns; with one with torch (--torch-python), products and convolutions in PyTorch.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${SHARDC_BUILD:-$(dirname "${SHARDC:?}")}
files=("$here/shapes.txt" "$here/special.txt")
case ${1:-} in '' | --*) ;; *) files=("$1"); shift ;; esac
torch='' arguments=()
for argument in "$@"; do
    case $argument in --torch-python=*) torch=${argument#*=} ;; *) arguments+=("$argument") ;; esac
done
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"${CC:-cc}" -O2 -I "$here/../../include" "$here"/{kernels,measure,special,peer,peaks}.c -o "$folder/kernels" \
    -L "$build" -lshardc -Wl,-rpath,"$build" || exit 1
for file in "${files[@]}"; do
    [ -f "$file" ] || file=$here/$file
    peer=(--peer-script="$here/peer.py")
    if ! grep -q '^program ' "$file"; then
        peer=()
        [ -z "$torch" ] || peer=(--peer-python="$torch" --peer-script="$here/peer_torch.py")
    fi
    "$folder/kernels" "$file" "${arguments[@]}" "${peer[@]}" || exit 1
done
