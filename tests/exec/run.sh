#!/bin/bash
# Random sharded programs against the evaluator, then the programs that once failed (tests/exec/cases), then programs
# that check themselves (tests/exec/checks), evaluated and compiled. SHARDC_BUILD is the build folder.
#
#   run.sh [SECONDS] [OPTIONS of random_programs]
cd "$(dirname "$0")/../.." || exit 1
build=${SHARDC_BUILD:-$PWD/build/release}
shardc=${SHARDC:-$build/shardc}
seconds=${1:-30}
[ $# -gt 0 ] && shift
others=(--reference-kernels '--constant-arguments=all --repeat=2') # what else the programs are compiled for
if [ "$(uname -m)" = x86_64 ]; then
    others+=(--target-cpu=x86-64-v2)
    ! grep -q '\<avx2\>' /proc/cpuinfo || others+=(--target-cpu=x86-64-v3)
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/verdicts"

# verdict NAME STATUS LOG: counts one.
verdict() {
    if [ "$2" -eq 0 ]; then
        touch "$scratch/verdicts/passed ${1//\//_}"
    else
        echo "FAIL $1"
        grep -v '^PASS' "$3" | head -5
        touch "$scratch/verdicts/failed ${1//\//_}"
    fi
}

# one_case CASE: the evaluator's results, and those of the compiled program in all ways.
one_case() {
    local case=$1 at tolerance how
    at="$scratch/$(basename "$case" .mlir)"
    mkdir "$at"
    tolerance=$(sed -n 's,^// tolerance: *,,p' "$case")
    if ! "$shardc" run "$case" --interpret --out-dir="$at/out" >"$at/log" 2>&1; then
        verdict "$case --interpret" 1 "$at/log"
        return
    fi
    for how in '' "${others[@]}"; do
        "$shardc" run "$case" --threads=2 --rtol="${tolerance:-0}" --atol="${tolerance:-0}" $how \
            $(find "$at/out" -name 'out*.npy' | sort -V | sed 's/^/--expect=/') >"$at/log" 2>&1
        verdict "$case $how" $? "$at/log"
    done
    rm -rf "$at"
}

one_check() {
    local case=$1 how log
    for how in --interpret --native; do
        log="$scratch/$(basename "$case" .mlir)$how"
        "$shardc" test "$how" "$case" >"$log" 2>&1
        verdict "$case $how" $? "$log"
    done
}

# As many at once as there are processors.
most=$(nproc 2>/dev/null || echo 2)
for case in tests/exec/cases/*.mlir tests/exec/checks/*.mlir; do
    [ -f "$case" ] || continue
    while [ "$(jobs -rp | wc -l)" -ge "$most" ]; do wait -n; done
    case $case in
    tests/exec/cases/*) one_case "$case" & ;;
    *) one_check "$case" & ;;
    esac
done
wait
passed=$(find "$scratch/verdicts" -name 'passed *' | wc -l)
failed=$(find "$scratch/verdicts" -name 'failed *' | wc -l)

"$build/tests/random_programs" --seed="${SEED:-1}" --seconds="$seconds" --jobs="$(nproc)" "$@" | tee "$scratch/random"
counts=$(tail -1 "$scratch/random")
number() { echo "$counts" | sed -n "s/.*\<\([0-9][0-9]*\) $1.*/\1/p"; }
passed=$((passed + $(number passed || echo 0))) failed=$((failed + $(number failed || echo 1)))
echo "$passed passed, $failed failed, $(number skipped) skipped"
[ "$failed" -eq 0 ]
