#!/bin/bash
# StableHLO's, Shardy's and MLIR's (dialect shard) own tests, by the runners of ../shared/conformance.
#
#   run.sh [--update] [lit|negative|stablehlo|native|compiled|shard]...   all by default; stablehlo is the evaluator, native is compiled code,
#                                                        shard: MLIR's dialect shard in both spellings, and its programs with numbers
#                                                        compiled: the functions of Shardy's executable tests through our own pipeline
#   SHARDC, SHARDC_OPT, SHARDC_SHARED                    the tools and the folder of given files, as ./dev sets them
#   SHARDC_BUILD                                         its test-logs/native.verdicts get one line for each native test
#   SAMPLE                                               only so many of the tests of stablehlo and native, always the same
#
# NAME_expected_failures.txt lists what is known to fail: an id, a tab, `# why`. A failure that is not listed fails. --update takes
# out the lines of what passes by now, and makes a list that does not exist; it never adds to one. The last line counts cases.
cd "$(dirname "$0")/../.." || exit 1
shardc=${SHARDC:-$PWD/build/release/shardc}
opt=${SHARDC_OPT:-$PWD/build/release/shardc-opt}
corpus=${SHARDC_SHARED:-$PWD/../shared}/conformance
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
update=
names=()
for argument in "$@"; do
    case $argument in
    --update) update=1 ;;
    lit | negative | stablehlo | native | compiled | shard) names+=("$argument") ;;
    *)
        echo "run.sh: unknown argument '$argument'" >&2
        exit 2
        ;;
    esac
done
[ ${#names[@]} -gt 0 ] || names=(lit negative stablehlo native compiled shard)
if [ ! -d "$corpus" ] || ! command -v python3 >/dev/null; then
    echo "skipped: needs $corpus and python3"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
if [ ! -x "$shardc" ] || [ ! -x "$opt" ]; then
    echo "FAIL conformance: no $shardc or $opt"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
if [[ " ${names[*]} " == *" lit "* ]] && ! command -v FileCheck >/dev/null && ! ls /usr/lib/llvm-*/bin/FileCheck >/dev/null 2>&1; then
    echo "lit is left out: it needs FileCheck (./dev deps installs it)"
    mapfile -t names < <(printf '%s\n' "${names[@]}" | grep -v '^lit$')
fi
sample=${SAMPLE:+--sample $SAMPLE}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C

run_lit() {
    python3 "$corpus/run_lit.py" --opt "$opt" --interp "$shardc run" -j "$jobs" --timeout 60 --json "$scratch/json"
}

# run NAME: the log to $scratch/log, the failures to $scratch/failures (id, tab, why).
run() {
    : >"$scratch/failures"
    case $1 in
    lit)
        run_lit >"$scratch/lit"
        # The runner's own tools, just written, may still be open in another of its processes.
        if grep -q 'Text file busy' "$scratch/json"; then run_lit >"$scratch/lit"; fi
        cat "$scratch/lit"
        python3 - "$scratch/json" >"$scratch/failures" <<'END'
import json, sys
for file in json.load(open(sys.argv[1])):
    for case in file["cases"]:
        if case["status"] == "fail":
            why = (case["detail"] or "").strip().split("\n")[0][:100]
            print("%s::%s\t# %s" % (file["file"], case["case"], why))
END
        ;;
    negative)
        python3 "$corpus/run_negative.py" --shardc "$shardc" -j "$jobs" -q --timeout 60 --write-fail-list "$scratch/failures"
        ;;
    stablehlo)
        # shellcheck disable=SC2086
        python3 "$corpus/run_stablehlo.py" --shardc "$shardc" --batch 64 -j "$jobs" -q --timeout 60 $sample \
            --batch-cmd '{shardc} test --interpret {files}' --write-fail-list "$scratch/failures"
        ;;
    native)
        # shellcheck disable=SC2086
        python3 "$corpus/run_stablehlo.py" --shardc "$shardc" --batch 64 -j "$jobs" -q --timeout 60 $sample \
            --filter 'interpret/*' --filter 'math/*' --filter 'testdata/*' --json "$scratch/verdicts" \
            --batch-cmd '{shardc} test --native {files}' --write-fail-list "$scratch/failures"
        ;;
    compiled)
        SHARDC=$shardc bash tests/conformance/compiled.sh "$corpus/shardy" >"$scratch/compiled"
        cat "$scratch/compiled"
        grep '	' "$scratch/compiled" >"$scratch/failures"
        ;;
    shard)
        python3 "$corpus/run_shard.py" --opt "$opt" --shardc "$shardc" --e2e --timeout 300 >"$scratch/shard"
        cat "$scratch/shard"
        sed -nE 's/^FAIL ([^ ]+): (.{0,80}).*/\1\t# \2/p' "$scratch/shard" >"$scratch/failures"
        ;;
    esac >"$scratch/log" 2>&1
    if [ "$1" = native ] && [ -d "${SHARDC_BUILD:-}/test-logs" ]; then
        python3 - "$scratch/verdicts" >"$SHARDC_BUILD/test-logs/native.verdicts" <<'END'
import json, sys
for test in sorted(json.load(open(sys.argv[1]))["tests"], key=lambda test: test["id"]):
    print(test["status"], test["id"], test["why"][:80])
END
    fi
}

number() { grep -oE "[0-9]+ $1" <<<"$2" | head -1 | grep -oE '[0-9]+' || echo 0; }

passed=0 failed=0 skipped=0
for name in "${names[@]}"; do
    list=tests/conformance/${name}_expected_failures.txt
    run "$name"
    line=$(grep -E '^(cases: )?[0-9]+ passed, [0-9]+ failed' "$scratch/log" | head -1)
    if [ -z "$line" ]; then
        echo "FAIL $name: the runner did not finish"
        tail -5 "$scratch/log"
        failed=$((failed + 1))
        continue
    fi
    if [ -n "$update" ] && [ ! -f "$list" ]; then
        sed -E 's,(/[a-zA-Z0-9_.-]+)+/,,g' <(cut -f2- "$scratch/failures") | paste <(cut -f1 "$scratch/failures") - | sort -u >"$list"
    fi
    cut -f1 "$scratch/failures" | sort -u >"$scratch/actual"
    [ -f "$list" ] && cut -f1 "$list" | sort -u >"$scratch/listed"
    [ -f "$list" ] || : >"$scratch/listed"
    comm -23 "$scratch/actual" "$scratch/listed" >"$scratch/new"
    comm -13 "$scratch/actual" "$scratch/listed" >"$scratch/gone"
    while read -r id; do
        echo "FAIL $name: $(grep -F "$id	" "$scratch/failures" | head -1 | tr '\t' ' ')"
    done <"$scratch/new"
    new=$(wc -l <"$scratch/new") gone=$(wc -l <"$scratch/gone")
    known=$(($(wc -l <"$scratch/actual") - new))
    if [ "$gone" -gt 0 ] && [ -n "$update" ]; then
        awk -F '\t' 'NR == FNR { gone[$1] = 1; next } !($1 in gone)' "$scratch/gone" "$list" >"$scratch/list" &&
            cat "$scratch/list" >"$list"
        echo "$gone lines taken out of $list"
    elif [ "$gone" -gt 0 ] && [ -z "$sample" ]; then
        echo "$gone of $list pass by now: ./dev test --update takes them out"
    fi
    echo "$name: $(number passed "$line") passed, $new failed, $known known to fail, $(number skipped "$line") left out"
    passed=$((passed + $(number passed "$line"))) failed=$((failed + new))
    skipped=$((skipped + known + $(number skipped "$line")))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
