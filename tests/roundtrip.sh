#!/bin/bash
# Printing and writing: every program of ../shared and of the golden tests is the same module when its pretty form, its generic form or
# its portable artifact is read again; HLO (text and protobufs) also when it is written as HLO and read again.
#
#   SHARDC_OPT, SHARDC_SHARED     the tool and the folder of given files, as ./dev sets them
#   arguments                     files instead of these
#
# Programs that are refused (many files hold some, to test that) do not count. The last line counts files.
cd "$(dirname "$0")/.." || exit 1
opt=${SHARDC_OPT:-$PWD/build/release/shardc-opt}
shared=${SHARDC_SHARED:-$PWD/../shared}
if [ $# -gt 0 ]; then
    files=("$@")
else
    mapfile -t files < <(find tests/golden "$shared"/{conformance,models,bench,gspmd,hlo} \
        -name '*.mlir' -o -name '*.hlo' -o -name '*.hlo.pb' 2>/dev/null | sort)
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# verify FILE SCRATCH: reads and prints the file in all forms. The expectation of a golden test is no program.
verify() {
    case $1 in
    *.mlir)
        sed '/^\/\/ ---- expect$/,$d' "$1" |
            timeout 60 "$opt" - -split-input-file --allow-unregistered-dialect --verify-roundtrip
        ;;
    *)
        sed '/^\/\/ ---- expect$/,$d' "$1" >"$2.hlo"
        timeout 60 "$opt" "$2.hlo" --verify-roundtrip >"$2.out" || return
        timeout 60 "$opt" "$2.hlo" --emit-hlo >"$2.once.hlo" || return
        timeout 60 "$opt" "$2.once.hlo" --emit-hlo >"$2.twice.hlo" && cmp "$2.once.hlo" "$2.twice.hlo" ||
            { echo "error: its HLO is another when it is read again"; return 1; }
        ;;
    esac
}

# check FILE PART: a line "ok", "refused", or the failure.
check() {
    verify "$1" "$scratch/part$2" >"$scratch/$$.$2" 2>&1
    local status=$? failure
    failure=$(grep -m1 -a 'error: its [a-z ]* is' "$scratch/$$.$2")
    if [ -n "$failure" ] || [ "$status" -ge 124 ] || { [ "$status" -ne 0 ] && [ "$status" -ne 1 ] && [ "$status" -ne 77 ]; }; then
        echo "FAIL $1: ${failure:-exit status $status}"
    elif [ "$status" -eq 0 ]; then
        echo ok
    else
        echo refused
    fi
}

# Every JOBS-th file, beginning with file $1.
run_part() {
    local i
    for ((i = $1; i < ${#files[@]}; i += jobs)); do check "${files[$i]}" "$1"; done
}

jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
for ((part = 0; part < jobs; part++)); do run_part "$part" >"$scratch/log.$part" & done
wait
cat "$scratch"/log.* >"$scratch/all"
grep '^FAIL' "$scratch/all"
failed=$(grep -c '^FAIL' "$scratch/all")
echo "$(grep -c '^ok' "$scratch/all") passed, $failed failed, $(grep -c '^refused' "$scratch/all") skipped"
[ "$failed" -eq 0 ]
