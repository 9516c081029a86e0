#!/bin/bash
# Adds the pass of docs/adding-a-pass.md to a copy of the tree by that page alone, counts the places, and tries it.
#
# What the new row changes is compiled from the copy, the rest is linked as SHARDC_BUILD has it.
cd "$(dirname "$0")/.." || exit 1
build=${SHARDC_BUILD:-$PWD/build/dev}
export SHARDC=${SHARDC:-$build/shardc}
pass=shardc-erase-lone-gathers
. tests/follow_page.sh
follow_page docs/adding-a-pass.md
echo "places: $files new files (the function, its test), $inserts lines in $(inserted_into)(the row, its step)"
check "at most four places" test "$((files + inserts))" -eq 4

# compile_copy FILE LIKE: FILE of the copy as LIKE of the tree is compiled, to $copy/objects.
mkdir "$copy/objects"
compile_copy() {
    local command
    command=$(ninja -C "$build" -t commands shardc-opt | grep -F -- "-c $root/$2" | head -1)
    command=${command%% -MD*}
    [ -n "$command" ] && (cd "$build" && eval "${command//$root/$copy/tree} -o $copy/objects/$(basename "$1").o -c $copy/tree/$1")
}
check "the function compiles" compile_copy partition/collectives/erase_lone_gathers.c partition/collectives/merge_equal_ops.c
check "the row compiles" compile_copy partition/pass_table_partition.c partition/pass_table_partition.c
check "the list compiles" compile_copy api/api_passes.c api/api_passes.c
link_copy() {
    local command
    command=$(ninja -C "$build" -t commands shardc-opt | tail -1)
    command=$(sed "s| -o shardc-opt | $copy/objects/*.o -o $copy/shardc-opt |" <<<"$command")
    (cd "$build" && eval "$command")
}
check "it links" link_copy
if [ -x "$copy/shardc-opt" ]; then
    export SHARDC_OPT=$copy/shardc-opt
    chmod +x "$copy/tree/tests/golden/run.sh"
    check "its golden test" bash "$copy/tree/tests/golden/run.sh" "tests/golden/$pass/unused.mlir"
    program=$copy/program.mlir
    sed '/^\/\/ ---- expect$/,$d' "$copy/tree/tests/golden/$pass/unused.mlir" >"$program"
    listed() { "$SHARDC_OPT" --help | grep -q -- "^ *--$pass  *Erases"; }
    check "help lists it" listed
    printed() { "$SHARDC_OPT" "$program" --communicate --print-after="$pass" 2>&1 | grep -q "// after $pass"; }
    check "its pipeline runs it" printed
    timed() { "$SHARDC_OPT" "$program" --communicate --time-passes 2>&1 | grep -q "  $pass\$"; }
    check "it is timed" timed
    rm "$copy/tree/tests/golden/$pass/unused.mlir"
    untested() {
        bash "$copy/tree/tests/golden/run.sh" >"$copy/untested"
        cat "$copy/untested"
        grep -q "^FAIL $pass: no golden test" "$copy/untested" && tail -1 "$copy/untested" | grep -q ' 1 failed$'
    }
    check "without its test the golden tests fail, and no other one" untested
fi
report
