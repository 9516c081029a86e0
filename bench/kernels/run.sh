#!/usr/bin/env bash
# Matrix products and convolutions of many shapes beside the machine's peak, which is measured between the runs.
#
#   ./dev bench kernels [SHAPES] [--threads=N] [--seconds=S] [--only=TEXT] [--cpu=NAME]
#
# SHAPES: a file (bench/kernels/shapes.txt). SHARDC_BUILD names another build to measure. Times are minima of many short runs.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${SHARDC_BUILD:-$(dirname "${SHARDC:?}")}
shapes=$here/shapes.txt
case ${1:-} in '' | --*) ;; *) shapes=$1; shift ;; esac
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"${CC:-cc}" -O2 -I "$here/../../include" "$here/kernels.c" "$here/peaks.c" -o "$folder/kernels" \
    -L "$build" -lshardc -Wl,-rpath,"$build" || exit 1
"$folder/kernels" "$shapes" "$@"
