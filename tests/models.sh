#!/bin/bash
# Real programs with known results: runs the checker of ../shared over ../shared/models, natively in memory, ahead of time, through
# the evaluator, from the generic form and from the portable artifacts that XLA's clients send; and over the HLO of ../shared/hlo, as text and as protobuf.
#
#   SHARDC, SHARDC_SHARED     the compiler and the folder of given files, as ./dev sets them
#   arguments                 passed on to the checker (--only=REGEX ...); then only those programs count
#
# tests/conformance/models_expected_failures.txt lists what is known to fail, one `name:mode` a line, `#` starts a comment. A failure that is not
# listed fails, and so does a listed one that passes: its line must go. The last line counts.
cd "$(dirname "$0")/.." || exit 1
shardc=${SHARDC:-$PWD/build/release/shardc}
shared=${SHARDC_SHARED:-$PWD/../shared}
checker=$shared/tools/check_models.py
list=tests/conformance/models_expected_failures.txt
modes=${MODES:-jit,aot,interpret,generic,bytecode,proto}

if [ ! -f "$checker" ] || [ ! -d "$shared/models" ]; then
    echo "skipped: there is no $shared/models"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
if ! command -v python3 >/dev/null; then
    echo "skipped: the checker needs python3"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi

log=$(mktemp) || exit 1
expected=$(mktemp) || exit 1
hlo=$(mktemp -d) || exit 1
trap 'rm -rf "$log" "$expected" "$hlo"' EXIT
[ -f "$list" ] && sed 's/#.*//; s/[[:space:]]*$//; /^$/d' "$list" >"$expected"

# The checker takes MLIR text where there is some beside the HLO.
for folder in "$shared"/hlo/*/; do
    [ -f "$folder/program.hlo" ] || continue
    name=$(basename "$folder")
    mkdir "$hlo/$name" && ln -s "$folder"/{program.hlo,manifest.json} "$folder"/*.npy "$hlo/$name/"
    [ ! -f "$folder/program.hlo.pb" ] || ln -s "$folder/program.hlo.pb" "$hlo/$name/"
done

python3 "$checker" --shardc "$shardc" --mode "$modes" --timeout "${TIMEOUT:-120}" "$@" "$shared/models" "$hlo" >"$log"
skipped=$(sed -n 's/.* \([0-9]*\) skipped$/\1/p' "$log" | tail -1)
passed=0 failed=0 known=0
while read -r verdict case rest; do
    case $verdict in PASS | FAIL) ;; *) continue ;; esac
    if grep -qxF "$case" "$expected"; then
        if [ "$verdict" = PASS ]; then
            echo "FAIL $case: it passes now; remove its line from $list"
            failed=$((failed + 1))
        else
            known=$((known + 1))
        fi
    elif [ "$verdict" = PASS ]; then
        passed=$((passed + 1))
    else
        echo "FAIL $case $rest"
        failed=$((failed + 1))
    fi
done <"$log"
if [ $((passed + failed + known)) -eq 0 ]; then
    echo "the checker ran nothing:"
    tail -5 "$log"
    failed=1
fi
[ "$known" -eq 0 ] || echo "$known known failures (in $list)"
echo "$passed passed, $failed failed, $((${skipped:-0} + known)) skipped"
[ "$failed" -eq 0 ]
