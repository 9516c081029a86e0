#!/usr/bin/env bash
# Does compiling cost the same per op, argument and byte of constants in programs of every size? Time and peak memory of each stage.
#
#   ./dev bench compile_time [--quick] [--runs=N] [--check]     see growth.py; parse.sh measures reading alone, transformer.py the
#                                                               passes on an unrolled transformer
set -u
exec python3 "$(dirname "$0")/growth.py" "$@"
