#!/bin/sh
# Golden tests: tests/golden/*/CASE.mlir (or .hlo), text in, text out.
#
#     // RUN: --sdy-close-shardings        arguments of shardc-opt; %s is the file itself, "not" before them expects a failure (1) or a refusal (77);
#                                          after "shardc" those of shardc compile for a fixed machine
#     ...                                  the program
#     // ---- expect
#     ...                                  what shardc-opt prints: standard output; with "not" the diagnostics
#
# Every row of ir/pass/passes.def has a test in the folder of its name (a pass that asks for the machine is printed by shardc), those of codegen's phases too; "llvm" is tested by tests/unit/codegen,
# for each version of LLVM writes it in its own way.
#
# Usage: run.sh [--update] [FILE...]. SHARDC_OPT is the tool. One line per failure, then "N passed, N failed".
cd "$(dirname "$0")/../.." || exit 1
tool=${SHARDC_OPT:-build/release/shardc-opt}
compiler=${SHARDC:-build/release/shardc}
update=
if [ "${1:-}" = --update ]; then
    update=1
    shift
fi
rows= phases=
if [ $# -eq 0 ]; then
    phases=$(sed -n 's/^PHASE([a-z_]*, "\([^"]*\)".*/\1/p' ir/pass/passes.def | grep -v '^llvm$')
    rows=$(sed -n 's/^\(PASS\|PIPELINE\)([a-z_]*, "\([^"]*\)".*/\2/p' ir/pass/passes.def | grep -v '^codegen$')
    set -- tests/golden/*/*.mlir tests/golden/*/*.hlo
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

# run_case FILE: the program to $scratch/case.mlir, what is expected to .../expect, the output to .../actual. Diagnostics name the file
# as the test is named, whatever folder it was run in. Returns the tool's status turned round for "not".
run_case() {
    file=$1
    program=$scratch/$(basename "$file")
    sed '/^\/\/ ---- expect$/,$d' "$file" >"$program"
    sed '1,/^\/\/ ---- expect$/d' "$file" >"$scratch/expect"
    arguments=$(sed -n '1s|^// RUN:||p' "$file")
    expected_status=0
    case $arguments in
    " not "*)
        expected_status=1
        arguments=${arguments# not }
        ;;
    esac
    case $arguments in
    " shardc "*)
        # shellcheck disable=SC2086
        "$compiler" compile "$program" --emit=obj --target=x86_64-unknown-linux-gnu --target-cpu=x86-64-v3 -o "$scratch/out.o" ${arguments# shardc } \
            >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
        status=$?
        ;;
    *)
        # shellcheck disable=SC2086
        "$tool" "$program" $arguments >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
        status=$?
        ;;
    esac
    if [ "$expected_status" = 1 ]; then
        sed "s|$scratch/||g" "$scratch/stderr" >"$scratch/actual"
    else
        sed "s|$scratch/||g" "$scratch/stdout" >"$scratch/actual"
    fi
    [ "$status" = "$expected_status" ] || [ "$expected_status$status" = 177 ]
}

for pass in $rows; do
    if ! grep -qsE -- "^// RUN:.* --(print-after=)?$pass(=| |\$)" tests/golden/"$pass"/*.mlir; then
        echo "FAIL $pass: no golden test in tests/golden/$pass runs it"
        failed=$((failed + 1))
    fi
done
for phase in $phases; do
    if ! grep -qs -- "^// RUN: shardc --print-after=$phase\$" tests/golden/"$phase"/*.mlir; then
        echo "FAIL $phase: no golden test in tests/golden/$phase prints it"
        failed=$((failed + 1))
    fi
done

for file in "$@"; do
    [ -f "$file" ] || continue
    if ! run_case "$file"; then
        echo "FAIL $file: exit status $status: $(head -1 "$scratch/stderr")"
        failed=$((failed + 1))
    elif cmp -s "$scratch/expect" "$scratch/actual"; then
        passed=$((passed + 1))
    elif [ -n "$update" ]; then
        { sed '/^\/\/ ---- expect$/,$d' "$file"; echo '// ---- expect'; cat "$scratch/actual"; } >"$scratch/new"
        cat "$scratch/new" >"$file"
        echo "updated $file"
        passed=$((passed + 1))
    else
        echo "FAIL $file: differs (- expected, + printed)"
        diff -u "$scratch/expect" "$scratch/actual" | sed '1,2d' | head -40
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
