#!/usr/bin/env bash
# The pictures of docs/performance.md: measures one idea after the other and writes docs/performance/NAME.json and NAME.svg.
#
#   ./dev bench pictures [NAME...] [--rounds=N] [--draw]      without NAME all that pictures.py lists; --draw draws the files that are there
set -u
here=$(cd "$(dirname "$0")" && pwd)
python3 "$here/pictures.py" --shardc="${SHARDC:?}" "$@"
