#!/bin/bash
# shardc explain: text and JSON as tests/explain/*.txt and *.json have them (--update rewrites them; they follow what the partitioner
# does), and whether advice is true for all programs there: the changed program, which --apply writes, must cost what the advice said,
# less than before, and compute the same.
#
# Usage: explain.sh [--update] [PROGRAM...]; PROGRAMs are checked for true advice only. SHARDC is the tool. MAX_COLLECTIVES: of each
# program, so many are followed.
cd "$(dirname "$0")/.." || exit 1
shardc=${SHARDC:-$PWD/build/release/shardc}
update=
if [ "${1:-}" = --update ]; then
    update=1
    shift
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

fail() {
    echo "FAIL $1: $2"
    failed=$((failed + 1))
}

# expect_output FILE NAME COMMAND...: the command prints what the file has.
expect_output() {
    local file=$1 name=$2
    shift 2
    if ! "$@" >"$scratch/actual" 2>"$scratch/stderr" </dev/null; then
        fail "$name" "$(head -1 "$scratch/stderr")"
    elif [ -n "$update" ]; then
        cp "$scratch/actual" "$file"
    elif diff "$file" "$scratch/actual" >"$scratch/diff"; then
        passed=$((passed + 1))
    else
        fail "$name" "another text"
        head -10 "$scratch/diff"
    fi
}

# number KEY N FILE: the N-th number with this key.
number() {
    grep -o "\"$1\":[0-9]*" "$3" | sed -n "$2s/.*://p"
}

# check_advice PROGRAM N: tries the best advice for collective N. Programs whose inputs cannot be drawn are not run.
check_advice() {
    local program=$1 n=$2 name="$1, collective $2" now said new
    "$shardc" explain "$program" --collective="$n" --json >"$scratch/json" 2>"$scratch/stderr" || {
        fail "$name" "$(head -1 "$scratch/stderr")"
        return
    }
    now=$(number total_bytes 1 "$scratch/json")
    said=$(number total_bytes 2 "$scratch/json")
    [ -n "$said" ] || return # no advice
    if ! "$shardc" explain "$program" --collective="$n" --apply="$scratch/changed.mlir" >"$scratch/text" 2>&1; then
        fail "$name" "$(head -1 "$scratch/text")"
        return
    fi
    "$shardc" explain "$scratch/changed.mlir" --advise=0 --json >"$scratch/json" 2>"$scratch/stderr"
    new=$(number total_bytes 1 "$scratch/json")
    if [ "$new" != "$said" ] || [ "$new" -ge "$now" ]; then
        fail "$name" "$now bytes, $said promised, $new measured"
        return
    fi
    rm -rf "$scratch/before"
    if "$shardc" run "$program" --seed=1 --out-dir="$scratch/before" >"$scratch/text" 2>&1; then
        set --
        for ((i = 0; ; i++)); do
            [ -f "$scratch/before/out$i.npy" ] || break
            set -- "$@" --expect="$scratch/before/out$i.npy"
        done
        if ! "$shardc" run "$scratch/changed.mlir" --seed=1 "$@" --rtol=1e-3 --atol=1e-4 >"$scratch/text" 2>&1; then
            fail "$name" "the changed program computes something else"
            return
        fi
    fi
    advised=$((advised + 1))
    passed=$((passed + 1))
}

check_program() {
    local count n
    "$shardc" explain "$1" --advise=0 --json >"$scratch/json" 2>"$scratch/stderr" || {
        fail "$1" "$(head -1 "$scratch/stderr")"
        return
    }
    count=$(grep -o '"number":' "$scratch/json" | wc -l)
    for ((n = 1; n <= count && n <= ${MAX_COLLECTIVES:-4}; n++)); do
        check_advice "$1" "$n"
    done
}

advised=0
if [ $# -gt 0 ]; then
    for program in "$@"; do check_program "$program"; done
else
    (cd tests/explain && "$shardc" explain loop.mlir --html="$scratch/page.html") || fail "a page" "is not written"
    if grep -qE 'https?:|src=|@import|<link' "$scratch/page.html" || ! grep -q 'id="v0"' "$scratch/page.html"; then
        fail "a page" "it needs something else, or lacks a value"
    else
        passed=$((passed + 1))
    fi
    for text in tests/explain/*.txt; do
        stem=$(basename "$text" .txt)
        [ -f "tests/explain/$stem.mlir" ] || continue
        cd tests/explain || exit 1
        expect_output "$stem.txt" "$stem: text" "$shardc" explain "$stem.mlir"
        cd ../..
    done
    cd tests/explain || exit 1
    expect_output loop.json "loop: json" "$shardc" explain loop.mlir --json
    for program in loop halo; do
        expect_output $program.report.txt "$program: report" \
            "$shardc" compile $program.mlir --emit=partitioned -o "$scratch/partitioned" --report
    done
    expect_output loop.report.json "loop: report as JSON" "$shardc" compile loop.mlir --emit=partitioned -o "$scratch/partitioned" --report=json
    expect_output loop.value.txt "loop: a value" "$shardc" explain loop.mlir --value %product
    expect_output halo.values.txt "halo: all values" "$shardc" explain halo.mlir --values --top=0
    cd ../..
    for program in tests/explain/*.mlir examples/mlp_misplaced.mlir examples/transformer.mlir; do check_program "$program"; done
    [ "$advised" -ge 8 ] || fail "advice" "only $advised pieces were given and tried"
fi
echo "$advised pieces of advice are true"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
