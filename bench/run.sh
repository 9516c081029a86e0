#!/usr/bin/env bash
# ./dev bench [NAME] [ARGUMENTS]: runs bench/NAME/run.sh; without a name it lists what there is.
set -u
here=$(cd "$(dirname "$0")" && pwd)
name=${1:-}
if [ -z "$name" ] || [ ! -f "$here/$name/run.sh" ]; then
    [ -z "$name" ] || echo "bench: nothing is called '$name'" >&2
    echo "usage: ./dev bench NAME [ARGUMENTS]; there are:"
    for script in "$here"/*/run.sh; do
        printf '  %-10s %s\n' "$(basename "$(dirname "$script")")" "$(sed -n '2s/^# //p' "$script")"
    done
    [ -z "$name" ]
    exit
fi
shift
exec bash "$here/$name/run.sh" "$@"
