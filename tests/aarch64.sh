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
passed=0 failed=0 skipped=0
cross() { aarch64-linux-gnu-gcc -std=gnu17 -O2 -fopenmp -fPIC -I. -Iinclude "$@"; }

mkdir "$scratch/runtime"
for source in $(find runtime -name '*.c'); do
    cross -c "$source" -o "$scratch/runtime/$(basename "$source" .c).o" || exit 1
done
cross -fPIE tests/aarch64/drive.c -o "$scratch/drive" -ldl || exit 1

# same CASE OPTION...: compiled, linked, executed, and what the evaluator gives for the same inputs. 77: nothing to execute.
same() {
    local case=$1 tolerance status files
    shift
    tolerance=$(sed -n 's,^// tolerance: *,,p' "$case")
    rm -rf "$scratch/arrays"
    mkdir "$scratch/arrays"
    "$shardc" compile "$case" --target=aarch64-linux-gnu --emit=obj "$@" -o "$scratch/model.o" || return 1
    cross -shared "$scratch/model.o" "$scratch"/runtime/*.o -o "$scratch/model.so" -lm || return 1
    timeout 120 qemu-aarch64 -L /usr/aarch64-linux-gnu "$scratch/drive" "$scratch/model.so" "$scratch/arrays"
    status=$?
    [ "$status" -eq 0 ] || return "$status"
    files=$(find "$scratch/arrays" -name 'in*.npy' | sort -V | sed 's/^/--in=/')
    files+=" $(find "$scratch/arrays" -name 'out*.npy' | sort -V | sed 's/^/--expect=/')"
    "$shardc" run "$case" --interpret --rtol="${tolerance:-0}" --atol="${tolerance:-0}" $files
}

for case in tests/exec/cases/*.mlir; do
    for how in '' --reference-kernels; do
        same "$case" $how >"$scratch/log" 2>&1
        case $? in
        0) passed=$((passed + 1)) ;;
        77) skipped=$((skipped + 1)) ;;
        *)
            echo "FAIL $case $how"
            tail -5 "$scratch/log"
            failed=$((failed + 1))
            ;;
        esac
    done
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
