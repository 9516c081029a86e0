#!/bin/bash
# Propagation of random programs against Shardy's own. No test runs it: it needs an sdy_opt, or a stand-in for one.
#
#   compare_shardy.sh SDY_OPT FIRST LAST      seeds; SDY_OPT is a command that takes a file and --sdy-propagation-pipeline
#
# Programs with ops that the other side has no sharding rule for, or refuses, are counted apart. Differing ones stay in the folder that is
# printed. The last line counts.
cd "$(dirname "$0")/../.." || exit 1
build=${SHARDC_BUILD:-$PWD/build/dev}
[ $# -eq 3 ] || { sed -n '2,7p' "$0"; exit 2; }
oracle=$1
scratch=$(mktemp -d) || exit 1
passed=0 failed=0 skipped=0

# Without blank lines and blanks at the ends of lines.
tidy() { sed -e 's/[[:space:]]*$//' -e '/^$/d' "$1"; }

for seed in $(seq "$2" "$3"); do
    program=$scratch/$seed.mlir
    "$build/tests/random_programs" --seed="$seed" --print >"$program"
    "$build/shardc-opt" "$program" --sdy-propagation-pipeline >"$scratch/ours" 2>/dev/null
    if ! $oracle "$program" --sdy-propagation-pipeline >"$scratch/theirs" 2>"$scratch/log" ||
        grep -q 'is unknown to SDY sharding rule registry' "$scratch/log"; then
        skipped=$((skipped + 1))
    elif cmp -s <(tidy "$scratch/ours") <(tidy "$scratch/theirs"); then
        passed=$((passed + 1))
    else
        echo "FAIL seed $seed"
        diff <(tidy "$scratch/ours") <(tidy "$scratch/theirs") | cut -c1-200 | head -6
        failed=$((failed + 1))
        continue
    fi
    rm -f "$program"
done
rm -f "$scratch/ours" "$scratch/theirs" "$scratch/log"
rmdir "$scratch" 2>/dev/null || echo "programs that differ: $scratch"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
