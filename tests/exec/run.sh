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
passed=0 failed=0

# same CASE OPTION...: what the evaluator gave
same() {
    local case=$1 tolerance
    shift
    tolerance=$(sed -n 's,^// tolerance: *,,p' "$case")
    "$shardc" run "$case" --threads=2 --rtol="${tolerance:-0}" --atol="${tolerance:-0}" "$@" \
        $(find "$scratch/out" -name 'out*.npy' | sort -V | sed 's/^/--expect=/') >"$scratch/log" 2>&1
}

for case in tests/exec/cases/*.mlir; do
    [ -f "$case" ] || continue
    rm -rf "$scratch/out"
    if ! "$shardc" run "$case" --interpret --out-dir="$scratch/out" >"$scratch/log" 2>&1; then
        echo "FAIL $case --interpret"
        head -5 "$scratch/log"
        failed=$((failed + 1))
        continue
    fi
    for how in '' "${others[@]}"; do
        if same "$case" $how; then
            passed=$((passed + 1))
        else
            echo "FAIL $case $how"
            head -5 "$scratch/log"
            failed=$((failed + 1))
        fi
    done
done

for case in tests/exec/checks/*.mlir; do
    for how in --interpret --native; do
        if "$shardc" test "$how" "$case" >"$scratch/log" 2>&1; then
            passed=$((passed + 1))
        else
            echo "FAIL $case $how"
            grep -v '^PASS' "$scratch/log" | head -5
            failed=$((failed + 1))
        fi
    done
done

"$build/tests/random_programs" --seed="${SEED:-1}" --seconds="$seconds" --jobs="$(nproc)" "$@" | tee "$scratch/random"
counts=$(tail -1 "$scratch/random")
number() { echo "$counts" | sed -n "s/.*\<\([0-9][0-9]*\) $1.*/\1/p"; }
passed=$((passed + $(number passed || echo 0))) failed=$((failed + $(number failed || echo 1)))
echo "$passed passed, $failed failed, $(number skipped) skipped"
[ "$failed" -eq 0 ]
