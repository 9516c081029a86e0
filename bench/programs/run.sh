#!/usr/bin/env bash
# Whole programs beside the machine's limit, measured between the runs, and beside XLA:CPU; a table, a history, a plot.
#
#   ./dev bench programs [PROGRAM...] [--peer-python=PYTHON] [--rounds=N] [--history=FILE] [--svg=FILE]      see programs.py
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"${CC:-cc}" -O2 -fopenmp -I "$here/../kernels" "$here/peaks_of_all.c" "$here/../kernels/peaks.c" -o "$folder/peaks" || exit 1
python3 "$here/programs.py" --shardc="${SHARDC:?}" --peaks="$folder/peaks" "$@"
