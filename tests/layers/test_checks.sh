#!/bin/sh
# Checks that the checks can fail: each is run on a small tree that breaks one rule, and must name the file that does.
# Usage: test_checks.sh FOLDER_OF_THE_CHECKS
checks=$(realpath "$1") && tree=$(mktemp -d) || exit 2
trap 'rm -rf "$tree"' EXIT
failed=0

cat >"$tree/layers.txt" <<'END'
base:
ir: base
room ir/low: low.h
room ir/high: high.h | low
size .: 8 4 2 20
END

# begin: an empty tree that keeps all rules.
begin() {
    rm -rf "$tree/code"
    mkdir -p "$tree/code/base" "$tree/code/ir/low" "$tree/code/ir/high"
    echo '#include "ir/low/low.h"' >"$tree/code/ir/high/high.c"
    touch "$tree/code/base/a.h" "$tree/code/ir/low/low.h" "$tree/code/ir/low/inside.h" "$tree/code/ir/high/high.h"
}

# expect CHECK TEXT: the check fails and prints the text; empty: it succeeds.
expect() {
    output=$(sh "$checks/$1.sh" "$tree/layers.txt" "$tree/code" 2>&1)
    status=$?
    if [ -z "$2" ]; then [ "$status" -eq 0 ] && return; else
        case $status$output in 1*"$2"*) return ;; esac
    fi
    echo "FAIL $1: expected '$2', got status $status: $output"
    failed=$((failed + 1))
}

begin
for check in check_layers check_circles check_sizes check_rows; do expect $check ''; done
begin; echo '#include "ir/low/low.h"' >"$tree/code/base/b.c"; expect check_layers 'base/ may not include ir/'
begin; echo '#include "ir/low/inside.h"' >"$tree/code/ir/high/b.c"; expect check_layers 'ir/low/inside.h is no door of ir/low'
begin; echo '#include "ir/high/high.h"' >"$tree/code/ir/low/b.c"; expect check_layers 'ir/low may not include ir/high'
begin; mkdir "$tree/code/ir/other"; echo '#include "base/a.h"' >"$tree/code/ir/other/b.c"; expect check_layers 'ir/other is no room'
begin
echo '#include "base/b.h"' >"$tree/code/base/a.h"
echo '#include "base/a.h"' >"$tree/code/base/b.c"
touch "$tree/code/base/b.h"
expect check_circles 'circle of 2 files: base/'
begin; printf 'int f(int x) {\n    x++;\n    x++;\n    return x;\n}\n' >"$tree/code/base/b.c"; expect check_sizes 'base/b.c:1: a function of 5 lines'
begin; printf '\n\n\n\n\n\n\n\n\n' >"$tree/code/base/b.c"; expect check_sizes 'base/b.c: 9 lines'
begin; for file in b.c c.c rows.def; do echo >"$tree/code/base/$file"; done; expect check_sizes 'base: more than 2 files'
begin; echo '// a comment of 23 col.' >"$tree/code/base/rows.def"; expect check_sizes 'base/rows.def:1: a comment of 23 columns'
begin; printf '/* a\n * comment of 23 col.*/\n' >"$tree/code/base/b.h"; expect check_sizes 'base/b.h:2: a comment of 23 columns'
begin; echo 'int x; // behind the code' >"$tree/code/base/b.h"; expect check_sizes 'base/b.h:1: a comment of 25 columns'
begin; echo 'ROW(of, twenty, columns) // and a word' >"$tree/code/base/rows.def"; expect check_sizes ''
begin; echo '// ·················' >"$tree/code/base/b.h"; expect check_sizes ''
begin; echo 'switch ((int)op->code) {' >"$tree/code/base/b.c"; expect check_rows 'base/b.c:1:'
begin; echo '    [OP_ADD] = add,' >"$tree/code/base/b.c"; expect check_rows 'base/b.c:1:'
[ "$failed" -eq 0 ] && echo "the checks fail where they should"
exit $((failed > 0))
