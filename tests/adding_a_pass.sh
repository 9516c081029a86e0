#!/bin/bash
# Adds the pass of docs/adding-a-pass.md to a copy of the tree by that page alone, counts the places, and tries it.
#
# A block of the page that follows `<!-- file: PATH -->` is a new file, one that follows `<!-- insert: PATH before: LINE -->` stands before the
# line of PATH that begins so. What the new row changes is compiled from the copy, the rest is linked as SHARDC_BUILD has it.
cd "$(dirname "$0")/.." || exit 1
root=$PWD
build=${SHARDC_BUILD:-$PWD/build/dev}
page=docs/adding-a-pass.md
pass=shardc-erase-lone-gathers
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
passed=0 failed=0

check() { # check NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$copy/log" 2>&1; then
        passed=$((passed + 1))
    else
        echo "FAIL $name"
        head -20 "$copy/log"
        failed=$((failed + 1))
    fi
}

# The blocks to $copy/block.N, where they go to $copy/places: "file PATH" or "insert PATH LINE".
mkdir "$copy/tree"
awk -v out="$copy" '
/^<!-- (file|insert): / {
    kind = $2; sub(/:$/, "", kind); path = $3
    line = $0; sub(/^.* before: /, "", line); sub(/ -->$/, "", line)
    if (kind == "insert") print "insert\t" path "\t" line > (out "/places"); else print "file\t" path > (out "/places")
    wanted = 1; next
}
/^```/ { if (inside) { inside = 0; close(block) } else if (wanted) { inside = 1; wanted = 0; block = out "/block." ++count; printf "" > block }; next }
inside { print > block }' "$page"

tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$copy/tree"
number=0 files=0 inserts=0
while IFS=$'\t' read -r kind path line; do
    number=$((number + 1))
    if [ "$kind" = file ]; then
        files=$((files + 1))
        [ ! -e "$copy/tree/$path" ] || { echo "FAIL $path exists already"; failed=$((failed + 1)); }
        mkdir -p "$(dirname "$copy/tree/$path")"
        cp "$copy/block.$number" "$copy/tree/$path"
    else
        inserts=$((inserts + 1))
        awk -v line="$line" -v block="$copy/block.$number" '
            index($0, line) == 1 && !found { while ((getline text < block) > 0) print text; found = 1 }
            { print }
            END { exit !found }' "$copy/tree/$path" >"$copy/new" || { echo "FAIL no line '$line' in $path"; failed=$((failed + 1)); }
        cat "$copy/new" >"$copy/tree/$path"
    fi
done <"$copy/places"
echo "places: $files new files (the function, its test), $inserts lines in $(awk -F '\t' '$1 == "insert" { print $2 }' "$copy/places" | sort -u | tr '\n' ' ')(the row, its step)"
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
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
