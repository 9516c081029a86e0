#!/bin/bash
# Shardy's executable tests the compiled way: every function that one of them runs on devices (part1.mlir of the files in *_exec) goes
# through the compiler's own pipeline to native code, and gives what the evaluator gives for the whole program on the same inputs.
#
# Usage: compiled.sh FOLDER   with the tests of Shardy; SHARDC is the tool. One line per failure, then "N passed, N failed, N skipped".
shardc=${SHARDC:-$PWD/build/release/shardc}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0 skipped=0
for file in "$1"/*_exec/*.mlir; do
    [ -f "$file" ] || continue
    awk '/^\/\/--- / { inside = $2 == "part1.mlir"; next } inside' "$file" >"$scratch/part1.mlir"
    for name in $(sed -nE 's/^ *func\.func (public )?@([A-Za-z0-9_]+)\(.*/\2/p' "$scratch/part1.mlir"); do
        id="$(basename "$(dirname "$file")")/$(basename "$file" .mlir)::$name"
        timeout 60 "$shardc" run "$scratch/part1.mlir" --entry="$name" --compare=interpret --rtol=1e-5 --atol=1e-5 >"$scratch/log" 2>&1 </dev/null
        status=$?
        case $status in
        0) passed=$((passed + 1)) ;;
        77) skipped=$((skipped + 1)) ;;
        *)
            echo "$id	# $(grep -v '^ ' "$scratch/log" | tail -1 | sed "s|$scratch/||g" | cut -c1-160)"
            failed=$((failed + 1))
            ;;
        esac
    done
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
