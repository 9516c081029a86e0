#!/usr/bin/env bash
# How much slower do programs get when other processes use the cores? Every program runs alone, then beside one busy process per core.
#
#   ./dev bench busy [--rounds=N] [--busy=N] [--check]     rounds of quiet and busy runs (5); busy processes (one per core)
#
# Prints the medians of all rounds. --check fails where a program of 1 ms or more gets more than 4 times slower, or a shorter one more than
# 20 times. SHARDC names another build to compare with. Where the kernel groups processes by session (autogroup), the busy processes belong to
# the group of the programs, as they would in one terminal.
set -u
here=$(cd "$(dirname "$0")" && pwd)
shardc=${SHARDC:?}
rounds=5 busy=$(nproc) check=''
for argument in "$@"; do
    case $argument in
    --rounds=*) rounds=${argument#*=} ;;
    --busy=*) busy=${argument#*=} ;;
    --check) check=1 ;;
    *) echo "bench/busy: unknown option $argument" >&2; exit 2 ;;
    esac
done
folder=$(mktemp -d) || exit 1
loads=()
stop_loads() {
    local pid
    for pid in "${loads[@]}"; do kill "$pid" && wait "$pid"; done 2>/dev/null
    loads=()
}
trap 'stop_loads; rm -rf "$folder"' EXIT

start_loads() {
    local i
    for ((i = 0; i < busy; i++)); do
        yes >/dev/null &
        loads+=($!)
    done
    sleep 0.3
}

# measure NAME: seconds of the median run, for about a second
measure() {
    "$shardc" run "$folder/$1.so" --repeat=20 --min-time=1 --json | tail -1 | sed -E 's/.*"median_s":([^,]*).*/\1/'
}

median() { sort -g | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

names=()
for file in "$here"/*.mlir; do
    name=$(basename "$file" .mlir)
    "$shardc" compile "$file" -o "$folder/$name.so" || exit 1
    names+=("$name")
done
for ((round = 0; round < rounds; round++)); do
    for name in "${names[@]}"; do measure "$name" >>"$folder/$name.quiet"; done
    start_loads
    for name in "${names[@]}"; do measure "$name" >>"$folder/$name.busy"; done
    stop_loads
done
echo "medians of $rounds rounds, $(nproc) cores, busy: beside $busy processes; load before: $(cut -d' ' -f1 /proc/loadavg)"
printf '%-12s %12s %12s %8s\n' program 'quiet us' 'busy us' ratio
status=0
for name in "${names[@]}"; do
    quiet=$(median <"$folder/$name.quiet") loaded=$(median <"$folder/$name.busy")
    awk -v name="$name" -v quiet="$quiet" -v busy="$loaded" -v check="$check" 'BEGIN {
        ratio = busy / quiet; limit = quiet >= 1e-3 ? 4 : 20
        verdict = ratio > limit ? sprintf("more than %d times", limit) : ""
        printf "%-12s %12.1f %12.1f %8.2f  %s\n", name, quiet * 1e6, busy * 1e6, ratio, verdict
        exit check && ratio > limit
    }' || status=1
done
exit $status
