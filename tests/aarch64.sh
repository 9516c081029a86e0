#!/bin/bash
# Code for AArch64: the programs of tests/exec/cases, compiled to objects, linked with the runtime by a cross compiler as
# docs/cli.md says, executed by an emulator, and compared with the evaluator; with micro-kernels and with plain loops.
#
#   SHARDC     the compiler, as ./dev sets it
#
# Skipped without qemu-aarch64 and aarch64-linux-gnu-gcc. The last line counts.
cd "$(dirname "$0")/.." || exit 1
shardc=${SHARDC:-$PWD/build/release/shardc}
for tool in qemu-aarch64 aarch64-linux-gnu-gcc; do
    if ! command -v "$tool" >/dev/null; then
        echo "skipped: there is no $tool"
        echo "0 passed, 0 failed, 1 skipped"
        exit 0
    fi
done
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cross() { aarch64-linux-gnu-gcc -std=gnu17 -O2 -fopenmp -fPIC -I. -Iinclude "$@"; }

mkdir "$scratch/runtime"
for source in $(find runtime -name '*.c'); do
    cross -c "$source" -o "$scratch/runtime/$(basename "$source" .c).o" || exit 1
done
cross -fPIE tests/aarch64/drive.c -o "$scratch/drive" -ldl || exit 1

# same CASE FOLDER OPTION...: compiled, linked, executed, and what the evaluator gives for the same inputs. 77: nothing to execute.
same() {
    local case=$1 at=$2 tolerance status files
    shift 2
    tolerance=$(sed -n 's,^// tolerance: *,,p' "$case")
    mkdir -p "$at/arrays"
    "$shardc" compile "$case" --target=aarch64-linux-gnu --emit=obj "$@" -o "$at/model.o" || return 1
    cross -shared "$at/model.o" "$scratch"/runtime/*.o -o "$at/model.so" -lm || return 1
    timeout 120 qemu-aarch64 -L /usr/aarch64-linux-gnu "$scratch/drive" "$at/model.so" "$at/arrays"
    status=$?
    [ "$status" -eq 0 ] || return "$status"
    files=$(find "$at/arrays" -name 'in*.npy' | sort -V | sed 's/^/--in=/')
    files+=" $(find "$at/arrays" -name 'out*.npy' | sort -V | sed 's/^/--expect=/')"
    "$shardc" run "$case" --interpret --rtol="${tolerance:-0}" --atol="${tolerance:-0}" $files
}

# One case, both ways; a verdict is an empty file.
both() {
    local case=$1 how at
    for how in '' --reference-kernels; do
        at="$scratch/$(basename "$case" .mlir)$how"
        mkdir "$at"
        same "$case" "$at" $how >"$at/log" 2>&1
        case $? in
        0) touch "$at/passed" ;;
        77) touch "$at/skipped" ;;
        *)
            echo "FAIL $case $how"
            tail -5 "$at/log"
            touch "$at/failed"
            ;;
        esac
        rm -rf "$at/arrays" "$at"/model.*
    done
}

# As many at once as there are processors.
most=$(nproc 2>/dev/null || echo 2)
for case in tests/exec/cases/*.mlir; do
    while [ "$(jobs -rp | wc -l)" -ge "$most" ]; do wait -n; done
    both "$case" &
done
wait
verdicts() { find "$scratch" -mindepth 2 -name "$1" | wc -l; }
failed=$(verdicts failed)
echo "$(verdicts passed) passed, $failed failed, $(verdicts skipped) skipped"
[ "$failed" -eq 0 ]
